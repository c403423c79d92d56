// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IUniswapV3MintCallback, IUniswapV3SwapCallback} from "../../src/interfaces/external/IUniswapV3Callbacks.sol";
import {IFeeLocker} from "../../src/interfaces/IFeeLocker.sol";
import {IFeeSplitter} from "../../src/interfaces/IFeeSplitter.sol";
import {ILaunchFactory} from "../../src/interfaces/ILaunchFactory.sol";
import {RevertingPayee} from "../utils/TestTokens.sol";
import {MarketHandler} from "./MarketHandler.sol";

/// @notice A contract that accepts native.
contract Vault {
    receive() external payable {}
}

/// @notice The three fee stages called by any account, payouts, refused transfers, the two steps of a treasury change,
/// the registry of partners, and calls that must fail.
contract FeeHandler is MarketHandler {
    address private constant UNWRAPPED = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    address[3] public treasuries;
    address public stranger = makeAddr("stranger");
    uint256 public forbiddenSuccesses;

    /// @dev Where payees can be paid: themselves, an account without code, contracts with and without a `receive`.
    address[5] public receivers;
    mapping(address splitter => mapping(address payee => address)) public expectedPayout;

    /// @dev Measured: what reached the locker by collections, and what left it by settlements and `payOwed`.
    mapping(address token => mapping(address asset => uint256)) public arrived;
    mapping(address locker => mapping(address asset => uint256)) public inflow;
    mapping(address locker => mapping(address asset => uint256)) public outflow;
    /// @dev Whether a collection ever returned other amounts than those that arrived.
    bool public collectMisreported;

    /// @dev What each role got by settlements of a launch, owed amounts included. 0: splitter, 1: treasury, 2: partner.
    mapping(address token => mapping(address asset => mapping(uint256 role => uint256))) public settledTo;
    /// @dev What each account was paid by the locker, and is owed.
    mapping(address asset => mapping(address account => uint256)) public paidByLocker;
    mapping(address asset => mapping(address account => uint256)) public expectedOwed;
    /// @dev What each account must have received by releases, from what the splitters booked.
    mapping(address asset => mapping(address account => uint256)) public releasedTo;

    /// @param maxLaunches Three are made at once; with one, only that one exists.
    constructor(uint256 maxLaunches) MarketHandler(maxLaunches) {
        setUp();
        (creator, creatorKey) = makeAddrAndKey("creator with a key");
        fundNative(address(trader), 1_000_000 ether);
        treasuries = [treasury, makeAddr("treasury 2"), makeAddr("treasury 3")];
        expectedTreasury = treasury;
        receivers =
            [alice, bob, makeAddr("vault without code"), address(new Vault()), address(new RevertingPayee())];
        sharesSet[treasury] = 5_000;
        _record(launchWithPartner(false, 5_000), partner, 5_000, FEE_BPS, false);
        if (maxLaunches == 1) return;
        _record(launchInTier(true, 10), address(0), 0, 10, false);
        _record(lockElsewhere(true, 30, 3_333), partner, 3_333, 30, false);
    }

    function collect(uint256 index) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        address holder = address(launched.locker);
        uint256[2] memory before = [balance(launched.token, holder), balance(address(weth), holder)];
        vm.prank(stranger);
        (uint256 tokenAmount, uint256 quoteAmount) = launched.locker.collect(launched.token);
        uint256 tokenArrived = balance(launched.token, holder) - before[0];
        uint256 quoteArrived = balance(address(weth), holder) - before[1];
        if (tokenAmount != tokenArrived || quoteAmount != quoteArrived) collectMisreported = true;
        arrived[launched.token][launched.token] += tokenArrived;
        arrived[launched.token][address(weth)] += quoteArrived;
        inflow[holder][launched.token] += tokenArrived;
        inflow[holder][address(weth)] += quoteArrived;
    }

    /// @param refused A quarter of the calls: this party cannot be paid.
    function settle(uint256 index, uint256 mask, uint256 refused) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        address[3] memory parties = [launched.splitter, _treasuryOf(launched), terms[launched.token].partner];
        address[] memory assets = _assets(launched.token, mask);
        uint256[3][] memory before = new uint256[3][](assets.length);
        uint256[3][] memory credits = new uint256[3][](assets.length);
        for (uint256 i; i < assets.length; ++i) {
            IFeeLocker.Ledger memory ledger = launched.locker.ledgerOf(launched.token, assets[i]);
            credits[i] = [ledger.collaboratorsCredit, ledger.protocolCredit, ledger.partnerCredit];
            for (uint256 role; role < 3; ++role) {
                before[i][role] = balance(assets[i], parties[role]);
            }
            if (refused % 12 < 3) _refuse(assets[i], parties[refused % 12]);
        }
        vm.prank(stranger);
        launched.locker.settle(launched.token, assets);
        vm.clearMockedCalls();
        for (uint256 i; i < assets.length; ++i) {
            for (uint256 role; role < 3; ++role) {
                if (parties[role] == address(0)) continue;
                uint256 received = balance(assets[i], parties[role]) - before[i][role];
                _recordPayment(address(launched.locker), assets[i], parties[role], received);
                if (refused % 12 == role) {
                    expectedOwed[assets[i]][parties[role]] += credits[i][role];
                    received += credits[i][role];
                }
                settledTo[launched.token][assets[i]][role] += received;
            }
        }
    }

    function payOwed(uint256 index, uint256 role, bool quoteSide) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        address[5] memory parties =
            [launched.splitter, treasuries[0], treasuries[1], treasuries[2], terms[launched.token].partner];
        address party = parties[role % 5];
        address asset = quoteSide ? address(weth) : launched.token;
        uint256 before = balance(asset, party);
        vm.prank(stranger);
        launched.locker.payOwed(asset, party);
        uint256 received = balance(asset, party) - before;
        _recordPayment(address(launched.locker), asset, party, received);
        expectedOwed[asset][party] -= received;
    }

    /// @dev By a stranger, by the payee, or by the payee to an account that it names.
    function release(uint256 index, uint256 mask, bool ofAlice, uint256 how, uint256 to)
        external
        tracksLiquidity(index)
    {
        Launch memory launched = _pick(index);
        IFeeSplitter splitter = IFeeSplitter(launched.splitter);
        address payee = ofAlice ? alice : bob;
        address receiver = how % 3 == 2 ? receivers[to % 5] : expectedPayout[launched.splitter][payee];
        if (receiver == address(0)) receiver = payee;
        address asset = [launched.token, address(weth), UNWRAPPED, address(0)][mask % 4];
        // A contract that rejects native keeps its claim of the native balance.
        if (asset == address(0) && receiver == receivers[4]) return;
        address booked = asset == UNWRAPPED ? address(weth) : asset;
        uint256 before = splitter.released(booked, payee);
        vm.prank(how % 3 == 0 ? stranger : payee);
        if (how % 3 == 2) splitter.releaseTo(one(asset), receiver);
        else splitter.release(one(asset), payee);
        bool unwrapped = asset == UNWRAPPED && receiver != receivers[4] && (how % 3 != 0 || receiver != receivers[3]);
        releasedTo[unwrapped ? address(0) : booked][receiver] += splitter.released(booked, payee) - before;
    }

    function setPayout(uint256 index, bool ofAlice, uint256 to) external {
        Launch memory launched = _pick(index);
        address payee = ofAlice ? alice : bob;
        address payout = to % 6 == 5 ? address(0) : receivers[to % 6];
        expectedPayout[launched.splitter][payee] = payout;
        vm.prank(payee);
        IFeeSplitter(launched.splitter).setPayout(payout);
    }

    function changeTreasury(uint256 seed) external {
        IFeeLocker ofFactory = IFeeLocker(factory.LOCKER());
        address proposed = treasuries[seed % 3];
        vm.prank(expectedTreasury);
        ofFactory.proposeTreasury(proposed);
        if (seed % 2 == 0) return;
        vm.prank(proposed);
        ofFactory.acceptTreasury();
        expectedTreasury = proposed;
    }

    function setPartnerShare(uint16 shareBps) external {
        sharesSet[expectedTreasury] = shareBps % 5_001;
        vm.prank(expectedTreasury);
        factory.setPartnerShare(partner, sharesSet[expectedTreasury]);
    }

    /// @dev Each of these calls must fail at any time, also if it would move nothing.
    function callForbidden(uint256 index, uint256 which, uint256 seed) external tracksLiquidity(index) {
        Launch memory launched = _pick(index);
        (address target, bytes memory data) = _forbidden(launched, which % 14, seed);
        vm.prank(stranger);
        (bool success,) = target.call(data);
        if (success) ++forbiddenSuccesses;
    }

    function _forbidden(Launch memory launched, uint256 which, uint256 seed)
        private
        returns (address target, bytes memory data)
    {
        target = address(launched.locker);
        if (which == 0) {
            // A token that is not locked yet, with the terms of one that is.
            data = abi.encodeCall(
                IFeeLocker.lock,
                (stranger, launched.pool, launched.splitter, address(0), 0, FEE_BPS, uint96(seed))
            );
        }
        if (which == 1) data = abi.encodeCall(IFeeLocker.proposeTreasury, (launched.locker.proposedTreasury()));
        if (which == 2) data = abi.encodeCall(IFeeLocker.acceptTreasury, ());
        if (which == 3) {
            data = abi.encodeCall(IUniswapV3MintCallback.uniswapV3MintCallback, (0, 0, abi.encode(launched.token)));
        }
        if (which == 4) data = abi.encodeCall(IFeeLocker.settle, (launched.token, one(stranger)));
        if (which == 5) data = abi.encodeCall(IFeeLocker.collect, (stranger));
        if (which < 6) return (target, data);

        target = launched.splitter;
        if (which == 6) data = abi.encodeCall(IFeeSplitter.release, (one(address(weth)), stranger));
        if (which == 7) data = abi.encodeCall(IFeeSplitter.releaseTo, (new address[](0), stranger));
        if (which == 8) data = abi.encodeCall(IFeeSplitter.setPayout, (stranger));
        if (which < 9) return (target, data);

        target = address(factory);
        if (which == 9) data = abi.encodeCall(IUniswapV3SwapCallback.uniswapV3SwapCallback, (int256(0), 0, ""));
        if (which == 10) {
            data = abi.encodeCall(ILaunchFactory.launch, (paramsWith(address(launched.locker)), noBuy()));
        }
        if (which == 11) {
            data = abi.encodeCall(ILaunchFactory.setPartnerShare, (partner, expectedShare()));
        }
        if (which == 12) {
            data = abi.encodeCall(
                ILaunchFactory.launchFor,
                (creator, paramsWith(launched.splitter), noBuy(), 0, block.timestamp, new bytes(seed % 66))
            );
        }
        if (which == 13) data = _cancelled();
    }

    /// @dev A launch that the creator signed and cancelled.
    function _cancelled() private returns (bytes memory data) {
        ILaunchFactory.LaunchParams memory params = paramsWith(makeSplitter());
        bytes32 digest = factory.digestOf(creator, params, noBuy(), 0, block.timestamp);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(creatorKey, digest);
        vm.prank(creator);
        factory.cancel();
        return abi.encodeCall(
            ILaunchFactory.launchFor, (creator, params, noBuy(), 0, block.timestamp, abi.encodePacked(r, s, v))
        );
    }

    function _recordPayment(address from, address asset, address to, uint256 amount) private {
        paidByLocker[asset][to] += amount;
        outflow[from][asset] += amount;
    }

    /// @dev Every transfer of the asset to this party fails until the mocks are cleared.
    function _refuse(address asset, address party) private {
        if (party == address(0)) return;
        vm.mockCallRevert(asset, abi.encodeWithSignature("transfer(address,uint256)", party), "refused");
    }

    function _treasuryOf(Launch memory launched) private view returns (address) {
        return address(launched.locker) == factory.LOCKER() ? expectedTreasury : treasury;
    }

    function _assets(address token, uint256 mask) private view returns (address[] memory) {
        if (mask % 3 == 0) return one(token);
        if (mask % 3 == 1) return one(address(weth));
        return bothAssets(token);
    }

    /* Views for the invariants. */

    function parts() external view returns (ILaunchFactory, address wrapped, address uniswapFactory, address partner_) {
        return (factory, address(weth), address(uniswap), partner);
    }

    function payees() external view returns (address, address) {
        return (alice, bob);
    }
}
