// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {Artifacts} from "./Artifacts.sol";
import {PlainToken} from "./TestTokens.sol";

/// @notice Deploys a funded gas station and a wallet with stablecoins, and creates quotes.
abstract contract StationTest is Artifacts {
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    IGasStation internal station;
    PlainToken internal dollar;
    address internal owner = makeAddr("owner");
    address internal relayer = makeAddr("relayer");
    address internal treasury = makeAddr("treasury");
    address internal stranger = makeAddr("stranger");
    address internal wallet;
    uint256 internal walletKey;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        (wallet, walletKey) = makeAddrAndKey("wallet");
        station = IGasStation(deploy("GasStation", abi.encode(owner, relayer, treasury)));
        dollar = new PlainToken(6);
        dollar.mint(wallet, 1_000e6);
        vm.deal(address(station), 10 ether);
    }

    function createQuote(uint256 id) internal view returns (IGasStation.TopUp memory) {
        return IGasStation.TopUp({
            quoteId: bytes32(id),
            wallet: wallet,
            token: address(dollar),
            tokenAmount: 5e6,
            nativeAmount: 0.001 ether,
            deadline: block.timestamp + 180
        });
    }

    function sign(IGasStation.TopUp memory quote) internal view returns (bytes memory) {
        return signWith(walletKey, quote);
    }

    function signWith(uint256 key, IGasStation.TopUp memory quote) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, station.digestOf(quote));
        return abi.encodePacked(r, s, v);
    }

    function noPermit() internal pure returns (IGasStation.Permit memory none) {}

    function signPermit(uint256 value) internal view returns (IGasStation.Permit memory permit) {
        permit.value = value;
        permit.deadline = block.timestamp + 180;
        bytes32 structHash = keccak256(
            abi.encode(PERMIT_TYPEHASH, wallet, address(station), value, dollar.nonces(wallet), permit.deadline)
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", dollar.DOMAIN_SEPARATOR(), structHash));
        (permit.v, permit.r, permit.s) = vm.sign(walletKey, digest);
    }

    function approveStation(uint256 amount) internal {
        vm.prank(wallet);
        dollar.approve(address(station), amount);
    }

    function topUp(IGasStation.TopUp memory quote) internal {
        topUp(quote, sign(quote), noPermit());
    }

    function topUp(IGasStation.TopUp memory quote, bytes memory signature, IGasStation.Permit memory permit)
        internal
    {
        vm.prank(relayer);
        station.topUp(quote, signature, permit);
    }

    function expectTopUpRevert(IGasStation.TopUp memory quote, bytes memory reason) internal {
        bytes memory signature = sign(quote);
        vm.expectRevert(reason);
        topUp(quote, signature, noPermit());
    }

    function assertNothingMoved() internal view {
        assertEq(dollar.balanceOf(wallet), 1_000e6);
        assertEq(wallet.balance, 0);
        assertEq(address(station).balance, 10 ether);
    }
}
