extension ProtocolDocument {
    /// The flags of the examples of `flags.*`.
    static let sampleFlags = """
        {"show_new_onboarding":true,"api_timeout_seconds":2.5,"paywall_variant":"control","max_retries":3}
        """
}
