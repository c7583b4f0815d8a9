extension Engine {
    /// The documents and settings in force, which come from outside. They survive a refusal by the store, because they are no
    /// user's data.
    package struct Settings: Sendable {
        package let surveys: SurveyConfiguration
        /// Whether a survey document was ever read; until then no survey is due.
        package let knowsSurveys: Bool
        package let debug: DebugMode
        package let forms: FormConfiguration
        package let counters: CounterConfiguration
        /// The number of this run of the daemon.
        package let run: Int64
        /// Whether data that only the hub of a fleet needs is also recorded.
        package let recordsForFleet: Bool
    }

    package var settings: Settings {
        Settings(
            surveys: surveys.configuration, knowsSurveys: knowsSurveys, debug: surveys.debug,
            forms: forms.configuration,
            counters: counters.configuration, run: counters.run, recordsForFleet: recordsForFleet)
    }
}
