// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title EcdsaSignature
/// @notice Recovers the signer of a digest. Accepts only 65 bytes (r, s, v) with a low `s`, so that a signer has one
/// valid form of each signature.
library EcdsaSignature {
    /// @dev Half the order of secp256k1. A signature with a greater `s` is malleable and is rejected.
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    uint256 private constant LENGTH = 65;

    /// @notice Whether `signer` signed `digest`. False for the zero address.
    function isSignedBy(bytes32 digest, bytes calldata signature, address signer) internal pure returns (bool) {
        if (signature.length != LENGTH) return false;
        bytes32 s = bytes32(signature[32:64]);
        if (uint256(s) > MAX_S) return false;
        address recovered = ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), s);
        return recovered != address(0) && recovered == signer;
    }
}
