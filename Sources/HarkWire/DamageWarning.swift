/// How a warning begins that says that something is missing from a reply, as the store is damaged.
package enum DamageWarning {
    package static let prefix = "the store is damaged: "
}
