// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC2612} from "../../src/interfaces/external/IERC2612.sol";
import {IGasStation} from "../../src/interfaces/IGasStation.sol";
import {BarePayer} from "./BarePayer.sol";
import {GasTest} from "./GasTest.sol";

interface IPermitToken {
    function approve(address spender, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function nonces(address owner) external view returns (uint256);
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}

/// @notice Gas of a top-up. The floor is the token transfer and the payment that it makes, and the permit if there is
/// one. The wallet has never held native before.
/// forge-config: default.isolate = true
/// forge-config: release.isolate = true
contract TopUpGasTest is GasTest {
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    uint256 private constant TOKEN_AMOUNT = 2_345_678;
    /// @dev A number at the start of a word, with 31 bytes that are not zero.
    uint256 private constant FIRST_QUOTE = uint256(keccak256("first quote")) & ~uint256(0xff);
    /// @dev The limit of a top-up by allowance.
    uint256 private constant ALLOWANCE_LIMIT = 87_595;
    uint256 private constant NATIVE_AMOUNT = 0.000_654_321 ether;

    IGasStation private _station;
    BarePayer private _payer;
    address private _token;
    address private _relayer = makeAddr("relayer");
    address private _stationTreasury = makeAddr("station treasury");
    address private _otherTreasury = makeAddr("other treasury");

    function setUp() public override {
        super.setUp();
        _token = deploy("DevStablecoin", abi.encode(1_000_000e6));
        _station = IGasStation(deploy("GasStation", abi.encode(address(this), _relayer, _stationTreasury)));
        _payer = BarePayer(payable(deployFloor("BarePayer", "")));
        vm.deal(address(_station), 1 ether);
        vm.deal(address(_payer), 1 ether);
    }

    /// @dev The first quote of a word of 256 writes a new slot.
    function test_TopUpByAllowance_Costs17000GasLessInAUsedWord() external {
        uint256 first = _topUpByAllowance(0, "top-up, allowance, first of a word");
        uint256 next = _topUpByAllowance(1, "top-up, allowance");
        assertLe(next + 17_000, first);
        assertLe(next, ALLOWANCE_LIMIT);
        // The last quote of the word, and the first one of the next word.
        assertLe(_topUpByAllowance(255, "top-up, allowance"), next + 30);
        assertGe(_topUpByAllowance(256, "top-up, allowance, first of a word"), first - 30);
        _topUpByAllowance(257, "top-up, allowance");

        (address wallet,) = _wallet("other wallet");
        vm.prank(wallet);
        IPermitToken(_token).approve(address(_payer), TOKEN_AMOUNT);
        vm.prank(_relayer);
        _payer.exchange(_token, wallet, _otherTreasury, TOKEN_AMOUNT, NATIVE_AMOUNT);
        record("TopUp", "top-up, allowance, floor");
    }

    function test_TopUpByPermit_IsMeasured() external {
        _topUpByAllowance(0, "top-up, allowance, first of a word");
        (address wallet, uint256 key) = _wallet("wallet");
        _topUp(1, wallet, key, _signPermit(wallet, key, address(_station)), "top-up, permit");

        (wallet, key) = _wallet("other wallet");
        IGasStation.Permit memory permit = _signPermit(wallet, key, address(_payer));
        bytes memory permitCall = abi.encodeCall(
            IERC2612.permit, (wallet, address(_payer), permit.value, permit.deadline, permit.v, permit.r, permit.s)
        );
        vm.prank(_relayer);
        _payer.exchangeWithPermit(_token, wallet, _otherTreasury, TOKEN_AMOUNT, NATIVE_AMOUNT, permitCall);
        record("TopUp", "top-up, permit, floor");
    }

    function _topUpByAllowance(uint256 number, string memory name) private returns (uint256) {
        (address wallet, uint256 key) = _wallet(string.concat("wallet ", vm.toString(number)));
        vm.prank(wallet);
        IPermitToken(_token).approve(address(_station), TOKEN_AMOUNT);
        IGasStation.Permit memory none;
        return _topUp(number, wallet, key, none, name);
    }

    function _topUp(
        uint256 number,
        address wallet,
        uint256 key,
        IGasStation.Permit memory permit,
        string memory name
    ) private returns (uint256 gasUsed) {
        IGasStation.TopUp memory quote = IGasStation.TopUp({
            quoteId: bytes32(FIRST_QUOTE + number),
            wallet: wallet,
            token: _token,
            tokenAmount: TOKEN_AMOUNT,
            nativeAmount: NATIVE_AMOUNT,
            deadline: vm.getBlockTimestamp() + 60
        });
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, _station.digestOf(quote));
        bytes memory signature = abi.encodePacked(r, s, v);
        vm.prank(_relayer);
        _station.topUp(quote, signature, permit);
        gasUsed = record("TopUp", name);
        assertEq(wallet.balance, NATIVE_AMOUNT);
        // Each top-up is the treasury's first receipt, as in the floor.
        vm.prank(_stationTreasury);
        IPermitToken(_token).transfer(address(this), TOKEN_AMOUNT);
    }

    function _wallet(string memory name) private returns (address wallet, uint256 key) {
        (wallet, key) = makeAddrAndKey(name);
        IPermitToken(_token).transfer(wallet, 10 * TOKEN_AMOUNT);
    }

    function _signPermit(address wallet, uint256 key, address spender)
        private
        view
        returns (IGasStation.Permit memory permit)
    {
        permit.value = TOKEN_AMOUNT;
        permit.deadline = vm.getBlockTimestamp() + 60;
        bytes32 content = keccak256(
            abi.encode(
                PERMIT_TYPEHASH, wallet, spender, permit.value, IPermitToken(_token).nonces(wallet), permit.deadline
            )
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", IPermitToken(_token).DOMAIN_SEPARATOR(), content));
        (permit.v, permit.r, permit.s) = vm.sign(key, digest);
    }
}
