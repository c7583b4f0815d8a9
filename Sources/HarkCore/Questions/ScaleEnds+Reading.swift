extension ScaleEnds {
    static func read(_ reader: inout ObjectReader) -> ScaleEnds {
        ScaleEnds(low: reader.name("lowLabel"), high: reader.name("highLabel"))
    }
}
