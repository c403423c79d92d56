// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {StationTest} from "../utils/StationTest.sol";

contract StationFuzzTest is StationTest {
    function testFuzz_TopUpTransfersExactlyTheSignedAmounts(
        bytes32 quoteId,
        uint128 tokenAmount,
        uint128 nativeAmount,
        uint64 validity,
        uint256 keySeed,
        bool withPermit
    ) external {
        walletKey = bound(keySeed, 1, 1 << 250);
        wallet = vm.addr(walletKey);
        vm.assume(wallet.code.length == 0 && wallet != treasury);
        IGasStation.TopUp memory quote = IGasStation.TopUp({
            quoteId: quoteId,
            wallet: wallet,
            token: address(dollar),
            tokenAmount: bound(tokenAmount, 1, type(uint128).max),
            nativeAmount: bound(nativeAmount, 1, 1e27),
            deadline: block.timestamp + validity
        });
        dollar.mint(wallet, quote.tokenAmount);
        vm.deal(address(station), 1e27);
        uint256 nativeBefore = wallet.balance;
        if (!withPermit) approveStation(quote.tokenAmount);
        IGasStation.Permit memory permit = withPermit ? signPermit(quote.tokenAmount) : noPermit();
        topUp(quote, sign(quote), permit);
        assertEq(dollar.balanceOf(treasury), quote.tokenAmount);
        assertEq(dollar.balanceOf(wallet), 0);
        assertEq(wallet.balance - nativeBefore, quote.nativeAmount);
        assertEq(address(station).balance, 1e27 - quote.nativeAmount);
        assertEq(dollar.allowance(wallet, address(station)), 0);
        assertTrue(station.used(quoteId));
    }

    function testFuzz_OnlyTheOwnerWithdrawsTheFloat(address caller, address to, uint256 amount) external {
        vm.assume(caller != owner);
        vm.expectRevert(abi.encodeWithSelector(IGasStation.GasStation_NotOwner.selector, caller));
        vm.prank(caller);
        station.withdrawFloat(to, amount);
    }
}
