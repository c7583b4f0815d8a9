import HarkClient
import HarkWire

extension Examination {
    /// Asks the user's or the machine's systemd.
    func askSystemd() -> Units {
        guard isUsualPlace else { return Units(absence: .elsewhere) }
        guard machine.entry("/run/systemd/system") != nil, let systemctl = machine.program("systemctl") else {
            return Units(absence: .noSystemd)
        }
        switch machine.run([systemctl] + (isSystem ? [] : ["--user"]) + Units.show) {
        case .ended(0, let output): return Units(shown: output)
        case .ended(_, let output):
            return Units(absence: .silent(String(Examination.said(output).drop { ": ".contains($0) })))
        case .absent(let why): return Units(absence: .silent(why))
        case .tookTooLong: return Units(absence: .silent("no answer within \(Int(Machine.patience)) s"))
        }
    }

    /// The state of the daemon's units.
    var service: [Finding] {
        let id = "service"
        let manager = isSystem ? "systemd" : "this user's systemd"
        switch units.absence {
        case .noSystemd?:
            return [.ok(id, "there is no systemd here: harkd is started by hand, or by another service manager")]
        case .elsewhere?: return [.ok(id, "HARK_SOCKET names a socket on which no systemd unit listens")]
        case .silent(let why)?: return [.warning(id, "\(manager) cannot be asked: \(why)")]
        case nil: break
        }
        let runs = status != nil
        guard units.isUsable else {
            return [
                runs
                    ? .ok(id, "\(manager) knows no harkd: it was started by hand")
                    : .warning(
                        id, "\(manager) knows no harkd: its units are not installed", install("--reinstall hark"))
            ]
        }
        let mend = Finding.Advice.mend(units.start(self))
        if units.isMasked { return [.fault(id, "harkd is masked: nothing may start it", mend)] }
        if units.isFailed {
            let result = [units.service, units.socket].first { $0.active == "failed" }?.result ?? ""
            let journal = isSystem ? "journalctl -u harkd" : "journalctl --user -u harkd"
            return [.fault(id, "harkd has failed (\(result)); '\(journal) -n 20' says why", mend)]
        }
        guard units.isEnabled else {
            let message = "harkd.socket is not enabled: nothing starts it at \(isSystem ? "boot" : "login")"
            return [runs ? .warning(id, message, .mend(systemctl("enable harkd.socket"))) : .fault(id, message, mend)]
        }
        guard units.isListening || runs else {
            return [.fault(id, "harkd.socket is enabled and does not listen", mend)]
        }
        return [.ok(id, "harkd.socket is enabled\(units.isRunning ? ", and harkd runs" : "")")]
    }
}
