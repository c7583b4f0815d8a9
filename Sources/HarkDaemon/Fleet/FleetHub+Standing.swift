import HarkFleet
import HarkWire

/// How it stands with a hub.
extension FleetHub {
    var state: FleetState { link.isConnected ? watch.isServing ? .serving : .standby : .connecting }

    var problem: String? {
        if let problem = link.problem { return problem }
        guard link.isConnected else { return link.notYet }
        return watch.rival.map {
            "another hub (its store is \($0)) serves this fleet; this one waits until that is gone. There can be one for each "
                + "shard: see 'serves' in docs/fleet.md"
        }
    }
}
