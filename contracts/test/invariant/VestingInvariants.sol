// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";
import {Test} from "forge-std/Test.sol";

import {IVesting} from "../../src/interfaces/IVesting.sol";
import {Report} from "./Report.sol";
import {VestingHandler} from "./VestingHandler.sol";

/// @notice The invariants I38 to I40 of contracts/README.md.
abstract contract VestingInvariants is Test {
    using Report for Report.Violations;

    VestingHandler internal vestingHandler;

    function startVestings() internal {
        vestingHandler = new VestingHandler();
    }

    function checkVestings(Report.Violations memory violations) internal view {
        for (uint256 i; i < vestingHandler.COUNT(); ++i) {
            (IVesting vesting, address token) = vestingHandler.parts(i);
            uint256 released = vesting.released(token);
            uint256 paid = IERC20(token).balanceOf(vestingHandler.beneficiaryOf(i)) + vestingHandler.sentBack(i);
            violations.expect(
                paid == released && IERC20(token).balanceOf(address(vesting)) == vestingHandler.received(i) - released,
                "I38 everything that leaves a vesting is paid to its beneficiary"
            );
        }
        violations.expect(vestingHandler.earlyReleases() == 0, "I39 no vesting releases more than the vested part");
        violations.expect(vestingHandler.decreases() == 0, "I40 the vested part of a vesting never decreases");
    }
}
