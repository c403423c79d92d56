// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "forge-std/interfaces/IERC20.sol";

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {IVesting} from "../../src/interfaces/IVesting.sol";
import {IVestingFactory} from "../../src/interfaces/IVestingFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

/// @notice Attacks on the vested initial buy of a launch.
contract VestingAttacksTest is SlipwayTest {
    uint40 private constant CLIFF = 1_800_000_000 + 30 days;
    uint40 private constant END = CLIFF + 100 days;

    IVestingFactory private _vestings;

    function setUp() public override {
        super.setUp();
        _vestings = IVestingFactory(deploy("VestingFactory", ""));
    }

    /// @dev The vesting is created only after the cliff, by another account: the launch has named its address.
    function test_C8_43_NobodyMovesAVestedBuyBeforeItsTime() external {
        address predicted = _vestings.predict(creator, CLIFF, END, 0);
        (address token, uint256 bought) = _launchFor(predicted);
        assertEq(IERC20(token).balanceOf(predicted), bought);
        _vestings.create(creator, CLIFF, END, 0);
        IVesting vesting = IVesting(predicted);

        address[5] memory callers = [creator, treasury, partner, alice, address(_vestings)];
        uint40[3] memory times = [CLIFF - 1, CLIFF, CLIFF + 25 days];
        uint256[3] memory parts = [uint256(0), 0, bought / 4];
        for (uint256 i; i < 3; ++i) {
            vm.warp(times[i]);
            for (uint256 j; j < 5; ++j) {
                vm.prank(callers[j]);
                vesting.release(token);
                assertEq(IERC20(token).balanceOf(creator), parts[i]);
            }
            assertEq(IERC20(token).balanceOf(predicted), bought - parts[i]);
        }
        vm.warp(END);
        vesting.release(token);
        assertEq(IERC20(token).balanceOf(creator), bought);
    }

    /// @dev Tokens at a predicted address are never stuck, however late the vesting is created.
    function test_C8_43_ALateCreationReleasesEverything() external {
        address predicted = _vestings.predict(creator, CLIFF, END, 0);
        (address token, uint256 bought) = _launchFor(predicted);
        vm.warp(END + 1_000 days);
        vm.prank(alice);
        _vestings.create(creator, CLIFF, END, 0);
        assertEq(IVesting(predicted).release(token), bought);
    }

    /// @dev The same code, whose storage says that everything was released, is not recorded.
    function test_C8_44_AVestingWithOtherStorageIsNotRecorded() external {
        address genuine = _vestings.create(creator, CLIFF, END, 0);
        address poisoned = makeAddr("poisoned");
        (address token, uint256 bought) = _launchFor(poisoned);
        vm.etch(poisoned, genuine.code);
        vm.store(poisoned, keccak256(abi.encode(token, 0)), bytes32(bought));
        vm.warp(CLIFF + 50 days);
        assertEq(IVesting(poisoned).released(token), bought, "the slot of the released amount");
        assertEq(IVesting(poisoned).release(token), 0);
        assertFalse(_vestings.isVesting(poisoned));
        assertTrue(_vestings.isVesting(genuine));
    }

    /// @dev For every gas limit the vesting exists if and only if it is recorded.
    function test_C8_44_NoGasLimitLeavesAVestingWithoutRecord() external {
        bytes memory call = abi.encodeCall(IVestingFactory.create, (creator, CLIFF, END, 0));
        address vesting = _vestings.predict(creator, CLIFF, END, 0);
        bool isMade;
        for (uint256 gasLimit = 20_000; !isMade; gasLimit += 250) {
            uint256 snapshot = vm.snapshotState();
            (isMade,) = address(_vestings).call{gas: gasLimit}(call);
            assertEq(vesting.code.length != 0, isMade);
            assertEq(_vestings.isVesting(vesting), isMade);
            if (!isMade) vm.revertToState(snapshot);
        }
    }

    function _launchFor(address recipient) private returns (address token, uint256 bought) {
        ILaunchFactory.LaunchParams memory params = paramsWith(deploySplitter());
        vm.deal(creator, 1 ether);
        vm.prank(creator);
        (token,, bought) = factory.launch{value: 1 ether}(params, ILaunchFactory.InitialBuyParams(recipient, 0));
    }
}
