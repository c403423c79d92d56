// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EIP712} from "solady/utils/EIP712.sol";
import {ReentrancyGuardTransient} from "solady/utils/ReentrancyGuardTransient.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

import {IERC2612} from "./interfaces/external/IERC2612.sol";
import {IGasStation} from "./interfaces/IGasStation.sol";
import {EcdsaSignature} from "./libraries/EcdsaSignature.sol";

/// @title GasStation
contract GasStation is IGasStation, EIP712, ReentrancyGuardTransient {
    /*//////////////////////////////////////////////////////////////
                                CONSTANTS
    //////////////////////////////////////////////////////////////*/

    bytes32 private constant TOP_UP_TYPEHASH = keccak256(
        "TopUp(bytes32 quoteId,address wallet,address token,uint256 tokenAmount,uint256 nativeAmount,uint256 deadline)"
    );

    /// @dev Gas forwarded with the payout: enough for the code of a delegated account (EIP-7702) to emit an event, and
    /// a bound on the gas that this code can waste.
    uint256 private constant PAYOUT_GAS = 50_000;

    /// @dev Gas required before the payout. 63/64 of it covers `PAYOUT_GAS` and the cost of the call itself (including
    /// a value transfer to a new account), with a margin for the rest of the function.
    uint256 private constant PAYOUT_GAS_NEEDED = 110_000;

    /*//////////////////////////////////////////////////////////////
                                 STORAGE
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IGasStation
    address public owner;

    /// @inheritdoc IGasStation
    address public proposedOwner;

    /// @inheritdoc IGasStation
    address public treasury;

    /// @inheritdoc IGasStation
    address public relayer;

    /// @inheritdoc IGasStation
    bool public paused;

    /// @dev One bit for each quote id. The quote ids of a word differ only in their last byte.
    mapping(uint256 word => uint256) private _used;

    /*//////////////////////////////////////////////////////////////
                               CONSTRUCTOR
    //////////////////////////////////////////////////////////////*/

    modifier onlyOwner() {
        if (msg.sender != owner) revert GasStation_NotOwner(msg.sender);
        _;
    }

    constructor(address owner_, address relayer_, address treasury_) {
        _requireAddress(owner_);
        owner = owner_;
        emit OwnershipChanged(address(0), owner_);
        _setRelayer(relayer_);
        _setTreasury(treasury_);
    }

    receive() external payable {
        emit FloatReceived(msg.sender, msg.value);
    }

    /*//////////////////////////////////////////////////////////////
                                 TOP-UP
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IGasStation
    function topUp(TopUp calldata quote, bytes calldata signature, Permit calldata permit) external nonReentrant {
        if (msg.sender != relayer) revert GasStation_NotRelayer(msg.sender);
        if (paused) revert GasStation_Paused();
        if (block.timestamp > quote.deadline) revert GasStation_Expired(quote.deadline, block.timestamp);
        if (quote.tokenAmount == 0 || quote.nativeAmount == 0) {
            revert GasStation_InvalidAmounts(quote.tokenAmount, quote.nativeAmount);
        }
        if (quote.token.code.length == 0) revert GasStation_InvalidAddress(quote.token);
        _use(quote.quoteId);
        // Contract wallets cannot sign.
        if (!EcdsaSignature.isSignedBy(digestOf(quote), signature, quote.wallet)) {
            revert GasStation_InvalidSignature(quote.wallet);
        }
        if (address(this).balance < quote.nativeAmount) {
            revert GasStation_InsufficientFloat(quote.nativeAmount, address(this).balance);
        }

        _applyPermit(quote, permit);
        _pull(quote);
        _payOut(quote.wallet, quote.nativeAmount);
        emit ToppedUp(quote.quoteId, quote.wallet, quote.token, quote.tokenAmount, quote.nativeAmount);
    }

    /*//////////////////////////////////////////////////////////////
                                  OWNER
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IGasStation
    function withdrawFloat(address to, uint256 amount) external onlyOwner {
        _requireAddress(to);
        if (!SafeTransferLib.trySafeTransferETH(to, amount, gasleft())) revert GasStation_PayoutFailed(to, amount);
        emit FloatWithdrawn(to, amount);
    }

    /// @inheritdoc IGasStation
    function setRelayer(address relayer_) external onlyOwner {
        _setRelayer(relayer_);
    }

    /// @inheritdoc IGasStation
    function setTreasury(address treasury_) external onlyOwner {
        _setTreasury(treasury_);
    }

    /// @inheritdoc IGasStation
    function setPaused(bool paused_) external onlyOwner {
        paused = paused_;
        emit PausedChanged(paused_);
    }

    /// @inheritdoc IGasStation
    function proposeOwner(address proposed) external onlyOwner {
        proposedOwner = proposed;
        emit OwnershipProposed(owner, proposed);
    }

    /// @inheritdoc IGasStation
    function acceptOwnership() external {
        if (msg.sender != proposedOwner) revert GasStation_NotProposedOwner(msg.sender);
        emit OwnershipChanged(owner, msg.sender);
        owner = msg.sender;
        delete proposedOwner;
    }

    /*//////////////////////////////////////////////////////////////
                                  VIEWS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc IGasStation
    function used(bytes32 quoteId) external view returns (bool) {
        (uint256 word, uint256 bit) = _positionOf(quoteId);
        return _used[word] & bit != 0;
    }

    /// @inheritdoc IGasStation
    function digestOf(TopUp calldata quote) public view returns (bytes32) {
        return _hashTypedData(keccak256(abi.encode(TOP_UP_TYPEHASH, quote)));
    }

    /*//////////////////////////////////////////////////////////////
                                INTERNALS
    //////////////////////////////////////////////////////////////*/

    function _use(bytes32 quoteId) private {
        (uint256 word, uint256 bit) = _positionOf(quoteId);
        uint256 bits = _used[word];
        if (bits & bit != 0) revert GasStation_QuoteUsed(quoteId);
        _used[word] = bits | bit;
    }

    function _positionOf(bytes32 quoteId) private pure returns (uint256 word, uint256 bit) {
        return (uint256(quoteId) >> 8, 1 << (uint256(quoteId) & 0xff));
    }

    /// @dev Another account can submit the permit first. It then fails here, but the allowance is set.
    function _applyPermit(TopUp calldata quote, Permit calldata permit) private {
        if (permit.v == 0) return;
        try IERC2612(quote.token).permit(
            quote.wallet, address(this), permit.value, permit.deadline, permit.v, permit.r, permit.s
        ) {} catch {}
    }

    /// @dev Measures the amount received, so that fee-on-transfer tokens are rejected.
    function _pull(TopUp calldata quote) private {
        address to = treasury;
        uint256 allowed = IERC2612(quote.token).allowance(quote.wallet, address(this));
        if (allowed < quote.tokenAmount) revert GasStation_InsufficientAllowance(quote.tokenAmount, allowed);
        uint256 balanceBefore = IERC2612(quote.token).balanceOf(to);
        if (!SafeTransferLib.trySafeTransferFrom(quote.token, quote.wallet, to, quote.tokenAmount)) {
            revert GasStation_PullFailed(quote.token, quote.wallet, quote.tokenAmount);
        }
        uint256 balanceAfter = IERC2612(quote.token).balanceOf(to);
        if (balanceAfter < balanceBefore + quote.tokenAmount) {
            uint256 received = balanceAfter > balanceBefore ? balanceAfter - balanceBefore : 0;
            revert GasStation_UnderPaid(quote.tokenAmount, received);
        }
    }

    /// @dev Caps the forwarded gas, so that a wallet with code cannot waste the relayer's gas. Checks the gas left
    /// first, so that a call with too little gas reverts here and not inside the wallet.
    function _payOut(address wallet, uint256 amount) private {
        uint256 gasLeft = gasleft();
        if (gasLeft < PAYOUT_GAS_NEEDED) revert GasStation_NotEnoughGas(gasLeft, PAYOUT_GAS_NEEDED);
        if (!SafeTransferLib.trySafeTransferETH(wallet, amount, PAYOUT_GAS)) {
            revert GasStation_PayoutFailed(wallet, amount);
        }
    }

    function _setRelayer(address relayer_) private {
        _requireAddress(relayer_);
        emit RelayerChanged(relayer, relayer_);
        relayer = relayer_;
    }

    function _setTreasury(address treasury_) private {
        _requireAddress(treasury_);
        emit TreasuryChanged(treasury, treasury_);
        treasury = treasury_;
    }

    /// @dev Rejects the station itself: funds sent to it could not be recovered.
    function _requireAddress(address account) private view {
        if (account == address(0) || account == address(this)) revert GasStation_InvalidAddress(account);
    }

    function _domainNameAndVersion() internal pure override returns (string memory name, string memory version) {
        return ("Slipway Gas Station", "1");
    }

    /// @dev Uses transient storage on every chain, not only on Ethereum.
    function _useTransientReentrancyGuardOnlyOnMainnet() internal pure override returns (bool) {
        return false;
    }
}
