extension ProtocolDocument {
    /// The surveys that the examples of `survey.*` are about.
    static let sampleSurveys = """
        {"surveys":[{"id":"rating","title":"Quick question","message":"How was it?","options":["Great","Okay","Poor"],"changeableSeconds":600,
        "trigger":{"event":{"name":"checkout_success"}}}]}
        """

    /// The survey in the examples of `study.*`.
    static let sampleStudies = """
        {"surveys":[{"id":"mood","title":"How are you?","message":"Right now","options":["Fine","So so","Not well"],
        "trigger":{"schedule":{"from":"09:00","until":"21:00","prompts":3,"gapSeconds":3600,"firstDay":"next",
        "timeZone":"Europe/Berlin","seed":"s1"}}}]}
        """
}
