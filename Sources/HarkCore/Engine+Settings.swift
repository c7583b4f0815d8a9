extension Engine {
    /// What the engine goes by that was set from outside: the documents and settings in force. It outlasts a refusal of
    /// the store, as none of it is anybody's data.
    package struct Settings: Sendable {
        package let surveys: SurveyConfiguration
        /// Whether a document of surveys was read at all; until then, nothing is due.
        package let knowsSurveys: Bool
        package let debug: DebugMode
        package let forms: FormConfiguration
        package let counters: CounterConfiguration
        /// The number of this run of the daemon.
        package let run: Int64
        /// Whether what only the hub of a fleet has to know becomes records as well.
        package let recordsForFleet: Bool
    }

    package var settings: Settings {
        Settings(
            surveys: surveys.configuration, knowsSurveys: knowsSurveys, debug: surveys.debug,
            forms: forms.configuration,
            counters: counters.configuration, run: counters.run, recordsForFleet: recordsForFleet)
    }
}
