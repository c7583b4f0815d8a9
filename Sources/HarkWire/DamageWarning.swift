/// The prefix of warnings that a reply is incomplete because the store is damaged.
package enum DamageWarning {
    package static let prefix = "the store is damaged: "
}
