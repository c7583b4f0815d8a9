extension ProtocolDocument {
    /// The surveys that the examples of `survey.*` are about.
    static let sampleSurveys = """
        {"surveys":[{"id":"rating","title":"Quick question","message":"How was it?","options":["Great","Okay","Poor"],"changeableSeconds":600,
        "trigger":{"event":{"name":"checkout_success"}}}]}
        """
}
