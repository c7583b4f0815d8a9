// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "DoorBell",
    // In a package of your own: .package(url: "https://…/hark.git", from: "0.1.0")
    dependencies: [.package(name: "hark", path: "../..")],
    targets: [
        .executableTarget(name: "DoorBell", dependencies: [.product(name: "Hark", package: "hark")])
    ])
