// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SignatureCheckerLib} from "solady/utils/SignatureCheckerLib.sol";

import {DevStablecoin} from "./DevStablecoin.sol";

/// @title DevDollar
/// @notice The stablecoin of the local chain: DevStablecoin with the transfer authorizations of EIP-3009. It behaves as the
/// published code of USDG does (paxosglobal/paxos-token-contracts, contracts/lib/EIP3009.sol), without its pause and freeze.
/// @dev WARNING: as in USDG, an authorization that was used or cancelled does not revert: the call emits
/// AuthorizationAlreadyUsed and transfers nothing. The logs of a transaction, not its status, prove a payment.
contract DevDollar is DevStablecoin {
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationAlreadyUsed(address indexed authorizer, bytes32 indexed nonce);

    error AuthorizationInvalid();
    error AuthorizationExpired();
    error CallerMustBePayee();
    error InvalidSignature();

    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    /// @notice Whether an authorization was used or cancelled.
    mapping(address authorizer => mapping(bytes32 nonce => bool)) public authorizationState;

    constructor(uint256 supply) DevStablecoin(supply) {}

    /// @notice Transfers `value` from `from` to `to`, as `from` has signed. Any account can send it.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        bytes32 typeHash = TRANSFER_WITH_AUTHORIZATION_TYPEHASH;
        _useAuthorization(typeHash, from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    /// @notice Works like `transferWithAuthorization`, but only the payee can send it.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (to != msg.sender) revert CallerMustBePayee();
        bytes32 typeHash = RECEIVE_WITH_AUTHORIZATION_TYPEHASH;
        _useAuthorization(typeHash, from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    /// @notice Cancels an unused authorization, as its authorizer has signed. Any account can send it.
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        if (authorizationState[authorizer][nonce]) {
            emit AuthorizationAlreadyUsed(authorizer, nonce);
            return;
        }
        bytes32 structHash = keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce));
        _requireSignature(authorizer, structHash, abi.encodePacked(r, s, v));
        authorizationState[authorizer][nonce] = true;
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _useAuthorization(
        bytes32 typeHash,
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) private {
        if (block.timestamp <= validAfter) revert AuthorizationInvalid();
        if (block.timestamp >= validBefore) revert AuthorizationExpired();
        if (authorizationState[from][nonce]) {
            emit AuthorizationAlreadyUsed(from, nonce);
            return;
        }
        bytes32 structHash = keccak256(abi.encode(typeHash, from, to, value, validAfter, validBefore, nonce));
        _requireSignature(from, structHash, signature);
        authorizationState[from][nonce] = true;
        emit AuthorizationUsed(from, nonce);
        _transfer(from, to, value);
    }

    function _requireSignature(address signer, bytes32 structHash, bytes memory signature) private view {
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), structHash));
        if (!SignatureCheckerLib.isValidSignatureNow(signer, digest, signature)) revert InvalidSignature();
    }
}
