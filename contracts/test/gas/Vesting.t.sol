// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IVesting} from "../../src/interfaces/IVesting.sol";
import {IVestingFactory} from "../../src/interfaces/IVestingFactory.sol";
import {BarePayer} from "./BarePayer.sol";
import {Creator} from "./Creator.sol";
import {GasTest} from "./GasTest.sol";

/// @notice Gas of a vesting. The floor of a creation is the creation of the same runtime code, without event and record.
/// The floor of a release is the transfer, from a contract with the same balance.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract VestingGasTest is GasTest {
    uint40 private constant CLIFF = 1_800_000_000 + 30 days;
    uint40 private constant END = CLIFF + 100 days;
    uint256 private constant AMOUNT = 50_000_000e18;

    Creator private _creator = Creator(deployFloor("Creator", ""));
    BarePayer private _payer = BarePayer(payable(deployFloor("BarePayer", "")));
    IVestingFactory private _vestings;

    function setUp() public override {
        super.setUp();
        _vestings = IVestingFactory(deploy("VestingFactory", ""));
    }

    function test_Creation_StaysBelowItsLimit() external {
        address created = _vestings.create(alice, CLIFF, END, keccak256("salt"));
        assertLe(record("Vesting", "creation of a vesting"), 350_000);
        bytes memory floorCode = abi.encodePacked(hex"61004b80600a3d393df3", created.code);
        (bool success,) = address(_creator).call(floorCode);
        assertTrue(success);
        record("Vesting", "creation of a vesting, floor");
        _vestings.create(alice, CLIFF, END, keccak256("salt"));
        assertLe(record("Vesting", "creation of a vesting, existing"), 35_000);
    }

    function test_Release_CostsLittleMoreThanATransfer() external {
        address token = launchWith(true).token;
        address vesting = _vestings.create(alice, CLIFF, END, keccak256("salt"));
        deal(token, vesting, AMOUNT);
        deal(token, address(_payer), AMOUNT);
        string[2] memory names = ["first release of a vesting", "next release of a vesting"];
        for (uint256 i; i < 2; ++i) {
            vm.warp(CLIFF + 10 days * (i + 1));
            IVesting(vesting).release(token);
            assertLe(record("Vesting", names[i]), 95_000);
            BarePayer.Payment[] memory payments = new BarePayer.Payment[](1);
            payments[0] = BarePayer.Payment(token, bob, AMOUNT / 10);
            _payer.pay(payments);
            record("Vesting", string.concat(names[i], ", floor"));
        }
    }
}
