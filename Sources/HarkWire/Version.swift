/// The version of Hark: of the daemon, the tool and the manual alike.
package enum Version {
    package static let current = "0.1.0"
}
