import HarkAsking
import Testing

@Suite("What a kiosk goes by (M4)")
struct KioskTests {
    @Test("a visitor has gone when nobody has touched it for long, and that is counted down")
    func idle() {
        var clock = VisitClock(idleReset: 45, minGap: 5)
        clock.begin(at: 100)
        #expect(clock.secondsLeft(at: 134.9) == nil)
        #expect(abs(clock.pause(at: 100) - 35) < 0.001)
        #expect(clock.secondsLeft(at: 135) == 10)
        #expect(clock.secondsLeft(at: 135.5) == 10)
        #expect(abs(clock.pause(at: 135.5) - 0.5) < 0.001)
        #expect(clock.secondsLeft(at: 144.5) == 1)
        #expect(!clock.isOver(at: 144.9) && clock.isOver(at: 145))
        #expect(clock.secondsLeft(at: 145) == nil)
        let counts = clock.touch(at: 144)
        #expect(counts && !clock.isOver(at: 145) && clock.secondsLeft(at: 145) == nil)
    }

    @Test("every second of the countdown is seen, and its end")
    func seconds() {
        var clock = VisitClock(idleReset: 12, minGap: 5)
        clock.begin(at: 3.3)
        var now = 3.3
        var seen: [Int] = []
        while !clock.isOver(at: now), seen.count < 100 {
            if let left = clock.secondsLeft(at: now) { seen.append(left) }
            now += clock.pause(at: now)
        }
        #expect(seen == Array((1...10).reversed()))
    }

    @Test("presses right after an answer do not count, and are told once; after a visitor who left they do")
    func gap() {
        var clock = VisitClock(idleReset: 45, minGap: 5)
        clock.begin(at: 10)
        var counted = [clock.touch(at: 11)]
        clock.answered(at: 20)
        counted += [clock.touch(at: 20.1), clock.touch(at: 24.9), clock.touch(at: 25)]
        #expect(counted == [true, false, false, true])
        let ignored = [clock.takeIgnored(), clock.takeIgnored()]
        #expect(ignored == [2, 0])
        #expect(abs(clock.rest(at: 23) - 2) < 0.001)
        // It is seen that it is over, however soon.
        #expect(clock.rest(at: 24.8) == 1)
        clock.begin(at: 26)
        let counts = clock.touch(at: 26.5)
        #expect(counts && clock.rest(at: 27) == 1)
    }

    @Test("languages have their own names, and a direction")
    func languages() {
        #expect(Language("de")?.name == "Deutsch")
        #expect(Language("pt-BR")?.code == "pt_BR")
        #expect(Language("pt-BR")?.name == "Português (Brasil)")
        #expect(Language("de_AT")?.name == "Deutsch")
        #expect(Language("tlh")?.name == "tlh")
        #expect(Language("ar_EG")?.isRightToLeft == true && Language("arn")?.isRightToLeft == false)
        for code in ["", "d", "deutsch", "de/../x", "d\u{e4}", "en_US_POSIX_x_y"] {
            #expect(Language(code) == nil, "\(code)")
        }
    }

    @Test("where a survey stands on the screen, it is there again as soon as the pause is over")
    func standing() {
        var clock = VisitClock(idleReset: 45, minGap: 3, shortestRest: 0)
        clock.begin(at: 0)
        #expect(clock.rest(at: 1) == 0)
        clock.answered(at: 10)
        #expect(clock.rest(at: 11) == 2 && clock.rest(at: 20) == 0)
        #expect(VisitClock(idleReset: 45, minGap: 3).rest(at: 20) == 1)
    }
}
