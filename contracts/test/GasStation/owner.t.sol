// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {StationTest} from "../utils/StationTest.sol";
import {RevertingPayee} from "../utils/TestTokens.sol";

interface IEIP712Domain {
    function eip712Domain()
        external
        view
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory);
}

contract GasStationOwnerTest is StationTest {
    function deployWith(address owner_, address relayer_, address treasury_) external {
        deploy("GasStation", abi.encode(owner_, relayer_, treasury_));
    }

    function test_WhenAConstructorAddressIsZero() external {
        bytes memory reason = _invalid(address(0));
        vm.expectRevert(reason);
        this.deployWith(address(0), relayer, treasury);
        vm.expectRevert(reason);
        this.deployWith(owner, address(0), treasury);
        vm.expectRevert(reason);
        this.deployWith(owner, relayer, address(0));
    }

    function test_WhenItIsDeployed() external {
        vm.expectEmit();
        emit IGasStation.OwnershipChanged(address(0), owner);
        vm.expectEmit();
        emit IGasStation.RelayerChanged(address(0), relayer);
        vm.expectEmit();
        emit IGasStation.TreasuryChanged(address(0), treasury);
        this.deployWith(owner, relayer, treasury);
        assertEq(station.owner(), owner);
        assertEq(station.relayer(), relayer);
        assertEq(station.treasury(), treasury);
        assertFalse(station.paused());
    }

    function test_WhenAnotherAccountThanTheOwnerCallsAnOwnerFunction() external {
        bytes[5] memory calls = [
            abi.encodeCall(station.withdrawFloat, (stranger, 1)),
            abi.encodeCall(station.setRelayer, (stranger)),
            abi.encodeCall(station.setTreasury, (stranger)),
            abi.encodeCall(station.setPaused, (true)),
            abi.encodeCall(station.proposeOwner, (stranger))
        ];
        address[3] memory callers = [relayer, treasury, stranger];
        for (uint256 i; i < calls.length; ++i) {
            for (uint256 j; j < callers.length; ++j) {
                vm.prank(callers[j]);
                (bool success, bytes memory reason) = address(station).call(calls[i]);
                assertFalse(success);
                assertEq(
                    reason, abi.encodeWithSelector(IGasStation.GasStation_NotOwner.selector, callers[j])
                );
            }
        }
    }

    function test_WhenTheOwnerWithdrawsTheFloat() external {
        vm.expectEmit(address(station));
        emit IGasStation.FloatWithdrawn(stranger, 3 ether);
        vm.prank(owner);
        station.withdrawFloat(stranger, 3 ether);
        assertEq(stranger.balance, 3 ether);
        assertEq(address(station).balance, 7 ether);
    }

    function test_WhenTheFloatIsWithdrawnToZeroOrToTheStation() external {
        vm.startPrank(owner);
        vm.expectRevert(_invalid(address(0)));
        station.withdrawFloat(address(0), 1);
        vm.expectRevert(_invalid(address(station)));
        station.withdrawFloat(address(station), 1);
    }

    function test_WhenTheReceiverOfTheFloatReverts() external {
        address broken = address(new RevertingPayee());
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_PayoutFailed.selector, broken, 1));
        vm.prank(owner);
        station.withdrawFloat(broken, 1);
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_PayoutFailed.selector, stranger, 11 ether));
        vm.prank(owner);
        station.withdrawFloat(stranger, 11 ether);
    }

    function test_WhenTheOwnerChangesTheRelayer() external {
        approveStation(5e6);
        vm.expectEmit(address(station));
        emit IGasStation.RelayerChanged(relayer, stranger);
        vm.prank(owner);
        station.setRelayer(stranger);
        expectTopUpRevert(createQuote(1), abi.encodeWithSelector(IGasStation.GasStation_NotRelayer.selector, relayer));
        relayer = stranger;
        topUp(createQuote(1));
    }

    function test_WhenTheOwnerChangesTheTreasury() external {
        approveStation(5e6);
        vm.expectEmit(address(station));
        emit IGasStation.TreasuryChanged(treasury, stranger);
        vm.prank(owner);
        station.setTreasury(stranger);
        topUp(createQuote(1));
        assertEq(dollar.balanceOf(stranger), 5e6);
    }

    function test_WhenARoleIsAssignedToZeroOrToTheStation() external {
        address[2] memory invalid = [address(0), address(station)];
        vm.startPrank(owner);
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert(_invalid(invalid[i]));
            station.setRelayer(invalid[i]);
            vm.expectRevert(_invalid(invalid[i]));
            station.setTreasury(invalid[i]);
        }
    }

    function test_WhenTheOwnerPauses() external {
        vm.expectEmit(address(station));
        emit IGasStation.PausedChanged(true);
        vm.prank(owner);
        station.setPaused(true);
        assertTrue(station.paused());
    }

    function test_WhenTheOwnerProposesAnotherOwner() external {
        vm.expectEmit(address(station));
        emit IGasStation.OwnershipProposed(owner, stranger);
        vm.prank(owner);
        station.proposeOwner(stranger);
        assertEq(station.owner(), owner);
        assertEq(station.proposedOwner(), stranger);
    }

    function test_WhenAnotherAccountThanTheProposedOneAccepts() external {
        vm.prank(owner);
        station.proposeOwner(stranger);
        address[2] memory callers = [owner, relayer];
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(IGasStation.GasStation_NotProposedOwner.selector, callers[i])
            );
            vm.prank(callers[i]);
            station.acceptOwnership();
        }
    }

    function test_WhenTheProposedAccountAccepts() external {
        vm.prank(owner);
        station.proposeOwner(stranger);
        vm.expectEmit(address(station));
        emit IGasStation.OwnershipChanged(owner, stranger);
        vm.prank(stranger);
        station.acceptOwnership();
        assertEq(station.owner(), stranger);
        assertEq(station.proposedOwner(), address(0));
    }

    function test_WhenNativeIsReceived() external {
        vm.deal(address(this), 1 ether);
        vm.expectEmit(address(station));
        emit IGasStation.FloatReceived(address(this), 1 ether);
        (bool success,) = address(station).call{value: 1 ether}("");
        assertTrue(success);
    }

    function test_WhenTheDomainIsRead() external view {
        (, string memory name, string memory version, uint256 chainId, address verifyingContract,,) =
            IEIP712Domain(address(station)).eip712Domain();
        assertEq(name, "Slipway Gas Station");
        assertEq(version, "1");
        assertEq(chainId, block.chainid);
        assertEq(verifyingContract, address(station));
    }

    function _invalid(address account) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IGasStation.GasStation_InvalidAddress.selector, account);
    }
}
