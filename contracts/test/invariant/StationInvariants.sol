// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";
import {Test} from "forge-std/Test.sol";

import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {Report} from "./Report.sol";
import {StationHandler} from "./StationHandler.sol";

/// @notice The invariants I30 to I37 of contracts/README.md.
abstract contract StationInvariants is Test {
    using Report for Report.Violations;

    StationHandler internal stationHandler;

    function startStation() internal {
        stationHandler = new StationHandler();
    }

    function checkStation(Report.Violations memory violations) internal view {
        (IGasStation station, address dollar, address wallet) = stationHandler.parts();
        violations.expect(
            address(station).balance
                == stationHandler.funded() - stationHandler.nativePaid() - stationHandler.withdrawn(),
            "I30 the float is what was funded minus what was sold and withdrawn"
        );
        for (uint256 i; i < 3; ++i) {
            address treasury = stationHandler.treasuries(i);
            violations.expect(
                IERC20(dollar).balanceOf(treasury) == stationHandler.paidTo(treasury),
                "I31 the treasury of each top-up is paid in full"
            );
        }
        violations.expect(
            wallet.balance == stationHandler.nativePaid(), "I32 a wallet received the amounts that it signed for"
        );
        violations.expect(
            IERC20(dollar).balanceOf(wallet)
                == stationHandler.minted() - stationHandler.tokensPaid() - stationHandler.dollarsDonated(),
            "I33 a wallet paid the amounts that it signed for"
        );
        violations.expect(
            IERC20(dollar).balanceOf(address(station)) == stationHandler.dollarsDonated(),
            "I34 the station holds only donated tokens"
        );
        violations.expect(
            _usedAreToppedUp(station), "I35 a quote id is marked used exactly if it was topped up"
        );
        violations.expect(
            station.owner() == stationHandler.expectedOwner()
                && station.proposedOwner() == stationHandler.expectedProposed()
                && station.relayer() == stationHandler.expectedRelayer()
                && station.paused() == stationHandler.expectedPaused(),
            "I36 only the owner changes the roles of the station"
        );
        violations.expect(
            stationHandler.forbiddenSuccesses() == 0, "I37 no forbidden call on the station succeeds"
        );
    }

    /// @dev Every quote, the adjacent ones, and the ids of the same bit in other words.
    function _usedAreToppedUp(IGasStation station) private view returns (bool) {
        uint256 count = stationHandler.topUps();
        for (uint256 i; i <= count; ++i) {
            uint256 id = stationHandler.quoteId(i);
            if (station.used(bytes32(id)) != (i < count)) return false;
            uint256[4] memory others = [id - 1, id + 1, id ^ 128, id + (1 << 200)];
            for (uint256 j; j < 4; ++j) {
                if (station.used(bytes32(others[j]))) return false;
            }
        }
        return true;
    }
}
