// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3Pool} from "../../src/interfaces/external/IUniswapV3Pool.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {LaunchSigner} from "../utils/LaunchSigner.sol";

/// @notice A creator whose code accepts every signature, and the native of a refund as long as it has gas for a write.
contract AcceptingCreator {
    uint256 private _count;

    receive() external payable {
        ++_count;
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        // Reads a slot, so that the check needs gas.
        return _count == type(uint256).max ? bytes4(0) : bytes4(0x1626ba7e);
    }
}

contract SignedLaunchAttacksTest is LaunchSigner {
    /// @dev Whoever sends a signed launch chooses its gas. For every limit it happens as a whole, with buy and refund, or
    /// not at all: no call whose failure is not fatal can be starved.
    function test_C8_30_NoGasLimitLaunchesWithoutTheBuyOrTheRefund() external {
        Authorization memory authorization = authorize(1e43);
        authorization.creator = address(new AcceptingCreator());
        vm.deal(relayer, 1e43);
        (address token, address pool) = factory.predict(authorization.creator, authorization.params);
        bytes memory call = abi.encodeCall(
            factory.launchFor,
            (
                authorization.creator,
                authorization.params,
                authorization.buy,
                authorization.value,
                authorization.deadline,
                ""
            )
        );
        uint256 successes;
        for (uint256 gas = 100_000; gas < 7_000_000; gas += gas < 5_000_000 ? 150_000 : 10_000) {
            uint256 snapshot = vm.snapshotState();
            vm.prank(relayer);
            (bool success,) = address(factory).call{value: 1e43, gas: gas}(call);
            assertEq(token.code.length != 0, success);
            if (success) {
                ++successes;
                assertGt(balance(token, alice), 0, "the buy");
                assertEq(authorization.creator.balance, 1e43 - balance(address(weth), pool), "the refund");
                assertEq(relayer.balance, 0);
            } else {
                assertEq(relayer.balance, 1e43);
                assertEq(pool.code.length, 0);
            }
            assertEq(address(factory).balance + balance(address(weth), address(factory)), 0);
            vm.revertToState(snapshot);
        }
        assertGt(successes, 0);
    }

    /// @dev A creator that signed the same launch twice, with and without an initial buy: the account that sends one of them first
    /// decides between what was signed, and the other one is void. Sign a new salt for another launch.
    function test_C8_31_OfTwoSignaturesForOneLaunchOneIsUsed() external {
        Authorization memory withBuy = authorize(1 ether);
        Authorization memory without = abi.decode(abi.encode(withBuy), (Authorization));
        (without.value, without.buy.minimumOut) = (0, 0);
        bytes[2] memory signatures = [sign(withBuy), sign(without)];
        for (uint256 i; i < 2; ++i) {
            uint256 snapshot = vm.snapshotState();
            (address token,,) = i == 0 ? launchFor(withBuy, signatures[0]) : launchFor(without, signatures[1]);
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_SaltTaken.selector, token));
            if (i == 0) launchFor(without, signatures[1]);
            else launchFor(withBuy, signatures[0]);
            vm.revertToState(snapshot);
        }
    }

    /// @dev A blocked launch leaves its signature valid: it launches as signed once the pool is free, until its deadline and
    /// never after it.
    function test_C8_31_ABlockedSignatureLaunchesAsSignedOrExpires() external {
        Authorization memory authorization = authorize(1 ether);
        bytes memory signature = sign(authorization);
        (address token, address pool) = factory.predict(creator, authorization.params);
        uint256 free = vm.snapshotState();
        uniswap.createPool(token, address(weth), POOL_FEE);
        IUniswapV3Pool(pool).initialize(sqrtPriceIfToken0 * 2);
        vm.expectPartialRevert(ILaunchFactory.LaunchFactory_PoolTaken.selector);
        launchFor(authorization, signature);
        assertEq(relayer.balance, 1_000 ether, "the sender keeps its value");
        vm.revertToState(free);
        vm.warp(authorization.deadline);
        uint256 snapshot = vm.snapshotState();
        launchFor(authorization, signature);
        vm.revertToState(snapshot);
        vm.warp(authorization.deadline + 1);
        vm.expectRevert(
            abi.encodeWithSelector(
                ILaunchFactory.LaunchFactory_Expired.selector, authorization.deadline, authorization.deadline + 1
            )
        );
        launchFor(authorization, signature);
    }

    /// @dev The share of the partner is not signed: it is the registry's at the launch, and takes nothing from the creator.
    function test_C8_31_TheRegistryAtTheLaunchDecidesThePartnersShare() external {
        Authorization memory authorization = authorize(0);
        authorization.params.partner = partner;
        grind(authorization.params, creator, true);
        registerPartner(partner, 5_000);
        bytes memory signature = sign(authorization);
        registerPartner(partner, 1_000);
        (address token, address pool,) = launchFor(authorization, signature);
        Launch memory launched = Launch(token, pool, authorization.params.splitter, true, locker);
        makeFees(launched);
        (, uint256 quoteAmount) = locker.collect(token);
        locker.settle(token, one(address(weth)));
        assertEq(balance(address(weth), partner), quoteAmount / 10 / 10);
        assertEq(balance(address(weth), launched.splitter), quoteAmount - quoteAmount / 10);
    }

    /// @dev The account that opened the pool at a lower price restores the start price for nothing, after the creator has
    /// launched with another salt.
    function test_C8_40_ACancelledLaunchStaysCancelledWhenItsPoolIsFreeAgain() external {
        Authorization memory first = authorize(1 ether);
        bytes memory signature = sign(first);
        (address token, address pool) = factory.predict(creator, first.params);
        uniswap.createPool(token, address(weth), POOL_FEE);
        IUniswapV3Pool(pool).initialize(sqrtPriceIfToken0 / 2);
        vm.expectPartialRevert(ILaunchFactory.LaunchFactory_PoolTaken.selector);
        launchFor(first, signature);

        for (uint256 i; i < 2; ++i) {
            uint256 snapshot = vm.snapshotState();
            bool cancels = i == 1;
            if (cancels) {
                vm.prank(creator);
                factory.cancel();
            }
            Authorization memory second = authorize(1 ether);
            launchFor(second, sign(second));
            trader.swapTo(pool, false, 1, sqrtPriceIfToken0);
            if (cancels) expectInvalidSignature(first, signature);
            else launchFor(first, signature);
            assertEq(token.code.length == 0, cancels, "only the cancellation prevents a second launch");
            vm.revertToState(snapshot);
        }
    }

    /// @dev The signed address is that of an account's next creation. The account chooses payees and storage afterwards.
    function test_C8_41_NoAccountChoosesThePayeesAfterTheSignature() external {
        for (uint256 i; i < 2; ++i) {
            Authorization memory authorization = authorize(0);
            authorization.params.splitter = vm.computeCreateAddress(address(this), vm.getNonce(address(this)));
            bytes memory signature = sign(authorization);
            uint16[] memory shares = new uint16[](1);
            shares[0] = 10_000;
            // The second one has the code of an honest splitter, and a payout in its storage.
            address created = i == 0 ? deploySplitter(one(relayer), shares) : deploySplitter();
            assertEq(created, authorization.params.splitter);
            if (i == 1) vm.store(created, keccak256(abi.encode(alice, 1)), bytes32(uint256(uint160(relayer))));
            vm.expectRevert(abi.encodeWithSelector(ILaunchFactory.LaunchFactory_InvalidSplitter.selector, created));
            launchFor(authorization, signature);
        }
    }

    /// @dev An earlier treasury has registered an accomplice. The next one starts without partners.
    function test_C8_42_NoPartnerOutlivesTheTreasuryThatRegisteredIt() external {
        registerPartner(partner, 5_000);
        vm.prank(treasury);
        locker.proposeTreasury(bob);
        vm.prank(bob);
        locker.acceptTreasury();
        ILaunchFactory.LaunchParams memory params = paramsFor(true);
        params.partner = partner;
        grind(params, creator, true);
        Launch memory launched = launch(params);
        makeFees(launched);
        locker.collect(launched.token);
        locker.settle(launched.token, bothAssets(launched.token));
        assertEq(balance(address(weth), partner), 0);
        assertEq(balance(address(weth), bob), locker.ledgerOf(launched.token, address(weth)).collected / 10);
    }
}
