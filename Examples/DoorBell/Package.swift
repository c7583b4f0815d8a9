// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "DoorBell",
    // In a package of your own: .package(url: "https://…/hark.git", branch: "main"), see docs/guides/swift.md
    dependencies: [.package(name: "hark", path: "../..")],
    targets: [
        .executableTarget(name: "DoorBell", dependencies: [.product(name: "Hark", package: "hark")])
    ])
