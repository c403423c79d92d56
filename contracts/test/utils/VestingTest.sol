// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IVesting} from "../../src/interfaces/IVesting.sol";
import {IVestingFactory} from "../../src/interfaces/IVestingFactory.sol";
import {Artifacts} from "./Artifacts.sol";
import {PlainToken} from "./TestTokens.sol";

/// @notice Creates vestings that begin in 30 days and last 100 days.
abstract contract VestingTest is Artifacts {
    uint40 internal constant CLIFF = 1_800_000_000 + 30 days;
    uint40 internal constant END = CLIFF + 100 days;

    IVestingFactory internal vestings;
    IVesting internal vesting;
    PlainToken internal token;
    address internal alice = makeAddr("alice");
    address internal stranger = makeAddr("stranger");

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        vestings = IVestingFactory(deploy("VestingFactory", ""));
        vesting = IVesting(vestings.create(alice, CLIFF, END, 0));
        token = new PlainToken(18);
    }
}
