// swift-tools-version: 6.2
import Glibc
import PackageDescription

/// Settings every Swift target shares: the language mode of the house, warnings are errors.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// The daemon's own targets. What the compiler cannot prove of exclusive access and of isolation is checked while it runs in debug
/// builds, so by all tests; in the released daemon those checks would take a tenth of what a record costs the loop, and a twentieth.
/// Not for the library and what it is made of: programs that use it decide that for themselves.
let daemon: [SwiftSetting] =
    house + [
        .unsafeFlags(
            ["-enforce-exclusivity=unchecked", "-Xfrontend", "-disable-dynamic-actor-isolation"],
            .when(configuration: .release))
    ]

/// The released tool is one file without shared libraries (build with `--static-swift-stdlib`): it starts in 1 ms.
let staticExecutable: [LinkerSetting] = [
    .unsafeFlags(["-static-executable"], .when(configuration: .release))
]

/// The released daemon is linked so that little of it has to be touched to start: relative relocations are packed
/// (0.9 MB less to read), equal functions are folded, what nobody calls is left out.
let compactExecutable: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--gc-sections",
            "-Xlinker", "--icf=safe",
        ], .when(configuration: .release))
]

/// Where libadwaita's headers are, as its pkg-config file says; nothing where they are not installed. Windows are built only
/// where they are, so that nobody else needs them. (Given as `pkgConfig`, its other flags would be warned of at every build.
/// SwiftPM remembers what this file said; the Makefile tells by a variable of the environment when that has changed.)
func adwaitaFlags() -> [String] {
    guard let pipe = popen("pkg-config --cflags-only-I libadwaita-1 2>/dev/null", "r") else { return [] }
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    while case let byte = getc(pipe), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
}

let adwaita = adwaitaFlags()

/// GTK is used from the main thread only: what is said nowhere is the main actor's.
let screen: [SwiftSetting] =
    house + [.defaultIsolation(MainActor.self), .unsafeFlags(adwaita.flatMap { ["-Xcc", $0] })]

let package = Package(
    name: "hark",
    products: [
        .executable(name: "harkd", targets: ["harkd"]),
        .executable(name: "hark", targets: ["hark"]),
        .library(name: "Hark", targets: ["Hark"]),
    ],
    targets: [
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        // No pkgConfig: the daemon loads libcurl when it first needs it, and must not be linked to it.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        // Likewise, with the first connection to a broker.
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        // Likewise; its few declarations are our own.
        .systemLibrary(name: "CPostgreSQL"),
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "CSimdJSON",
            linkerSettings: [.linkedLibrary("simdjson")]),

        .target(name: "HarkWire", swiftSettings: house),
        .target(name: "HarkPattern", dependencies: ["CPCRE2"], swiftSettings: house),
        .target(name: "HarkCore", dependencies: ["HarkPattern", "HarkWire"], swiftSettings: daemon),
        // Checksums without optimisation take longer than all else that a test does with a store.
        .target(name: "CStoreFile", dependencies: ["CSQLite"], cSettings: [.unsafeFlags(["-O2"])]),
        .target(
            name: "HarkStore", dependencies: ["HarkCore", "HarkSystem", "CSQLite", "CStoreFile"], swiftSettings: daemon),
        .target(name: "HarkSystem", dependencies: ["HarkWire", "CSystemd", "CLinux"], swiftSettings: daemon),
        .target(name: "HarkFleet", dependencies: ["HarkWire"], swiftSettings: house),
        .target(
            name: "HarkDelivery",
            dependencies: [
                "HarkCore", "HarkStore", "HarkSystem", "CCurl", "CLinux", "CMosquitto", "CPostgreSQL", "CZlib",
            ],
            swiftSettings: daemon),
        .target(
            name: "HarkLedger", dependencies: ["HarkCore", "HarkStore", "HarkSystem", "HarkWire"], swiftSettings: daemon
        ),
        .target(
            name: "HarkServer",
            dependencies: ["HarkCore", "HarkLedger", "HarkStore", "HarkSystem", "HarkWire", "CSimdJSON"],
            swiftSettings: daemon),
        .target(
            name: "HarkSettings",
            dependencies: [
                "HarkCore", "HarkDelivery", "HarkFleet", "HarkLedger", "HarkServer", "HarkStore", "HarkSystem",
                "HarkWire",
            ],
            swiftSettings: daemon),
        .target(
            name: "HarkHub",
            dependencies: [
                "HarkCore", "HarkDelivery", "HarkFleet", "HarkLedger", "HarkServer", "HarkSettings", "HarkStore",
                "HarkSystem", "HarkWire",
            ],
            swiftSettings: daemon),
        .target(
            name: "HarkNotifier", dependencies: ["HarkCore", "HarkSettings", "HarkSystem", "HarkWire"],
            swiftSettings: daemon),
        .target(
            name: "HarkSimulation",
            dependencies: ["HarkCore", "HarkServer", "HarkSettings", "HarkStore", "HarkSystem", "HarkWire"],
            swiftSettings: daemon),
        .target(
            name: "HarkDaemon",
            dependencies: [
                "HarkCore", "HarkDelivery", "HarkFleet", "HarkHub", "HarkLedger", "HarkNotifier", "HarkServer",
                "HarkSettings", "HarkSimulation", "HarkStore", "HarkSystem", "HarkWire", "CLinux",
            ],
            swiftSettings: daemon),
        .systemLibrary(name: "CLinux"),
        .target(name: "HarkClient", dependencies: ["HarkWire"], swiftSettings: house),
        .target(name: "Hark", dependencies: ["HarkClient", "HarkWire"], swiftSettings: house),
        .target(
            name: "HarkAsking", dependencies: ["HarkClient", "HarkPattern", "HarkWire", "CLinux"], swiftSettings: house),
        .target(name: "HarkSQL", dependencies: ["HarkClient", "HarkWire", "CSQLite"], swiftSettings: house),
        .target(
            name: "HarkTool", dependencies: ["HarkAsking", "HarkClient", "HarkFleet", "HarkSQL", "HarkWire", "CLinux"],
            swiftSettings: house),

        .executableTarget(
            name: "harkd", dependencies: ["HarkDaemon"], swiftSettings: daemon, linkerSettings: compactExecutable),
        .executableTarget(
            name: "hark", dependencies: ["HarkTool"], swiftSettings: house, linkerSettings: staticExecutable),

        .executableTarget(name: "hark-bench", path: "Tests/Benchmarks", swiftSettings: house),
        .executableTarget(
            name: "hark-fleet-load",
            dependencies: [
                "HarkCore", "HarkDaemon", "HarkDelivery", "HarkFleet", "HarkHub", "HarkLedger", "HarkServer",
                "HarkSettings", "HarkSystem", "HarkWire",
            ],
            path: "Tests/FleetLoad", swiftSettings: house),

        // What tests read all day is read by optimised code, also where they are not optimised themselves.
        .target(
            name: "HarkTesting", dependencies: ["HarkFleet", "HarkSystem", "HarkWire"], path: "Tests/HarkTesting",
            swiftSettings: house + [.unsafeFlags(["-O"])]),
        .testTarget(
            name: "HarkSystemTests", dependencies: ["CLinux", "HarkSystem", "HarkTesting"], swiftSettings: house),
        .testTarget(
            name: "HarkDeliveryTests",
            dependencies: ["HarkDelivery", "HarkStore", "HarkCore", "HarkWire", "HarkSystem", "HarkTesting"],
            exclude: ["HTTP/server.py", "MQTT/listener.py"], swiftSettings: house),
        .executableTarget(
            name: "hark-fuzz",
            dependencies: [
                "CLinux", "HarkCore", "HarkDaemon", "HarkHub", "HarkLedger", "HarkServer", "HarkSettings", "HarkSystem",
                "HarkTesting", "HarkWire",
            ],
            path: "Tests/Fuzz",
            swiftSettings: house),
        .testTarget(
            name: "HarkCoreTests", dependencies: ["HarkCore", "HarkPattern", "HarkWire", "HarkTesting"],
            swiftSettings: house),
        .testTarget(
            name: "HarkDaemonTests",
            dependencies: [
                "HarkCore", "HarkDaemon", "HarkDelivery", "HarkHub", "HarkLedger", "HarkNotifier", "HarkServer",
                "HarkSettings", "HarkSimulation", "HarkStore", "HarkSystem", "HarkTesting", "HarkTool", "HarkWire",
                "CSQLite",
            ],
            swiftSettings: house),
        .testTarget(
            name: "HarkFleetTests", dependencies: ["HarkFleet", "HarkTesting", "HarkWire"], swiftSettings: house),
        .testTarget(
            name: "HarkClientTests", dependencies: ["HarkClient", "HarkTesting", "HarkWire"], swiftSettings: house),
        .testTarget(name: "HarkSQLTests", dependencies: ["HarkSQL", "HarkWire"], swiftSettings: house),
        .testTarget(name: "HarkTests", dependencies: ["Hark"], swiftSettings: house),
        .testTarget(
            name: "HarkToolTests", dependencies: ["HarkTool", "HarkAsking", "HarkClient", "HarkTesting", "HarkWire"],
            swiftSettings: house),
        .testTarget(
            name: "EndToEnd", dependencies: ["Hark", "HarkWire", "HarkTesting", "CSQLite", "CStoreFile"],
            exclude: [
                "BadInput/vanishing.py", "Delivery/receiver.py", "Delivery/otlp_check.py", "Tool/codebook_check.py",
                "Tool/metrics_check.py", "Tool/statistics_check.py",
            ],
            swiftSettings: house),
        .testTarget(
            name: "HarkStoreTests", dependencies: ["HarkStore", "HarkCore", "HarkWire", "HarkTesting", "CSQLite"],
            swiftSettings: house),
        .testTarget(name: "HarkWireTests", dependencies: ["HarkWire", "HarkTesting"], swiftSettings: house),
    ],
    cxxLanguageStandard: .cxx17
)

if !adwaita.isEmpty {
    package.products.append(.executable(name: "hark-dialog", targets: ["hark-dialog"]))
    package.targets += [
        .systemLibrary(name: "CAdwaita", providers: [.apt(["libadwaita-1-dev"])]),
        .target(name: "HarkScreen", dependencies: ["CAdwaita"], swiftSettings: screen),
        .target(
            name: "HarkDialog", dependencies: ["HarkAsking", "HarkClient", "HarkScreen", "HarkWire"],
            swiftSettings: screen),
        .executableTarget(
            name: "hark-dialog", dependencies: ["HarkDialog"], swiftSettings: screen, linkerSettings: compactExecutable),
    ]
}
