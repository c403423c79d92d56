// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {SlipwayTest} from "../utils/SlipwayTest.sol";

contract LaunchFactoryPartnersTest is SlipwayTest {
    function test_WhenAnotherAccountThanTheTreasurySetsAShare() external {
        address[5] memory callers = [creator, partner, address(this), address(factory), address(locker)];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_NotTreasury.selector, callers[i]));
            vm.prank(callers[i]);
            factory.setPartnerShare(partner, 1);
        }
    }

    function test_WhenTheShareIsAboveTheMaximum() external {
        uint16[2] memory shares = [uint16(5_001), type(uint16).max];
        for (uint256 i; i < 2; ++i) {
            vm.expectRevert(
                abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidPartnerShare.selector, shares[i], 5_000)
            );
            vm.prank(treasury);
            factory.setPartnerShare(partner, shares[i]);
        }
    }

    function test_WhenThePartnerIsZero() external {
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidPartner.selector, address(0)));
        vm.prank(treasury);
        factory.setPartnerShare(address(0), 1);
    }

    function test_WhenTheTreasurySetsAShare() external {
        assertEq(factory.partnerShareBps(partner), 0);
        vm.startPrank(treasury);
        vm.expectEmit(address(factory));
        emit ILaunchFactory.PartnerShareChanged(partner, 0, 5_000);
        factory.setPartnerShare(partner, 5_000);
        vm.expectEmit(address(factory));
        emit ILaunchFactory.PartnerShareChanged(partner, 5_000, 1);
        factory.setPartnerShare(partner, 1);
        vm.stopPrank();
        assertEq(factory.partnerShareBps(partner), 1);
        assertEq(factory.partnerShareBps(alice), 0);
    }

    function test_GivenAnotherTreasuryHasAccepted() external {
        registerPartner(partner, 5_000);
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        vm.prank(bob);
        locker.acceptTreasury();
        vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_NotTreasury.selector, treasury));
        vm.prank(treasury);
        factory.setPartnerShare(partner, 1);
        assertEq(factory.partnerShareBps(partner), 0, "the new treasury has set no share");
        vm.expectEmit(address(factory));
        emit ILaunchFactory.PartnerShareChanged(partner, 0, 1);
        vm.prank(bob);
        factory.setPartnerShare(partner, 1);
        assertEq(factory.partnerShareBps(partner), 1);
    }

    function test_WhenTheShareChangesAfterALaunch() external {
        Launch memory launched = launchWithPartner(true, 2_500);
        registerPartner(partner, 5_000);
        assertEq(locker.positionOf(launched.token).partnerShareBps, 2_500);
        assertEq(locker.positionOf(launchWithPartner(true, 1_000).token).partnerShareBps, 1_000);
        registerPartner(partner, 0);
        buy(launched, 1 ether);
        (, uint256 quoteAmount) = locker.collect(launched.token);
        locker.settle(launched.token, one(address(weth)));
        uint256 side = quoteAmount / 10;
        assertEq(balance(address(weth), partner), side / 4);
        assertEq(balance(address(weth), treasury), side - side / 4);
    }
}
