// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IVesting} from "../../src/interfaces/IVesting.sol";
import {VestingTest} from "../utils/VestingTest.sol";

contract VestingFuzzTest is VestingTest {
    /// @dev The vested part is zero until the cliff, everything from the end, and between them within one unit of the line:
    /// elapsed * received / duration, compared without division.
    function testFuzz_TheVestedPartIsOnTheLine(uint40 cliff, uint40 duration, uint40 elapsed, uint128 amount) external {
        cliff = uint40(bound(cliff, 1, type(uint40).max - 1));
        duration = uint40(bound(duration, 1, type(uint40).max - cliff));
        IVesting other = IVesting(vestings.create(alice, cliff, cliff + duration, "fuzz"));
        token.mint(address(other), amount);
        vm.warp(uint256(cliff) - 1);
        assertEq(other.vested(address(token)), 0);
        elapsed = uint40(bound(elapsed, 0, duration));
        vm.warp(uint256(cliff) + elapsed);
        uint256 vested = other.vested(address(token));
        assertLe(vested * duration, uint256(amount) * elapsed);
        assertGt((vested + 1) * duration, uint256(amount) * elapsed);
        vm.warp(uint256(cliff) + duration);
        assertEq(other.vested(address(token)), amount);
    }

    /// @dev However many releases there are, and whenever tokens arrive, the beneficiary has the vested part of what
    /// arrived, and everything at the end.
    function testFuzz_ReleasesPayTheVestedPart(uint32[8] memory waits, uint64[8] memory amounts) external {
        uint256 received;
        for (uint256 i; i < 8; ++i) {
            vm.warp(vm.getBlockTimestamp() + waits[i] % 30 days);
            token.mint(address(vesting), amounts[i]);
            received += amounts[i];
            uint256 before = vesting.vested(address(token));
            vesting.release(address(token));
            assertEq(vesting.vested(address(token)), before, "a release changes no vested amount");
            assertEq(token.balanceOf(alice), before);
            assertEq(token.balanceOf(address(vesting)), received - before);
        }
        vm.warp(END);
        vesting.release(address(token));
        assertEq(token.balanceOf(alice), received);
    }
}
