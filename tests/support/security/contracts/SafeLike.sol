// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A wallet of several owners that works as a Safe does: `threshold` owners sign each transaction and each message, in
/// ascending order of their addresses. A message that the wallet itself has approved needs no signature.
contract SafeLike {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    bytes32 private constant DOMAIN_TYPEHASH = keccak256("EIP712Domain(uint256 chainId,address verifyingContract)");
    bytes32 private constant TRANSACTION_TYPEHASH =
        keccak256("SafeTx(address to,uint256 value,bytes data,uint256 nonce)");
    bytes32 private constant MESSAGE_TYPEHASH = keccak256("SafeMessage(bytes message)");

    mapping(address owner => bool) public isOwner;
    mapping(bytes32 digest => bool) public isApproved;
    uint256 public immutable threshold;
    uint256 public nonce;

    constructor(address[] memory owners, uint256 threshold_) payable {
        for (uint256 i; i < owners.length; ++i) {
            isOwner[owners[i]] = true;
        }
        threshold = threshold_;
    }

    receive() external payable {}

    function execTransaction(address to, uint256 value, bytes calldata data, bytes calldata signatures) external {
        bytes32 hash = keccak256(abi.encode(TRANSACTION_TYPEHASH, to, value, keccak256(data), nonce++));
        require(_areSigned(hash, signatures), "not enough owners");
        _call(to, value, data);
    }

    /// Only as a transaction of the wallet itself.
    function multiSend(Call[] calldata calls) external {
        require(msg.sender == address(this), "not the wallet");
        for (uint256 i; i < calls.length; ++i) {
            _call(calls[i].to, calls[i].value, calls[i].data);
        }
    }

    /// Only as a transaction of the wallet itself.
    function approve(bytes32 digest) external {
        require(msg.sender == address(this), "not the wallet");
        isApproved[digest] = true;
    }

    function isValidSignature(bytes32 digest, bytes calldata signatures) external view returns (bytes4) {
        bool isValid = signatures.length == 0 ? isApproved[digest] : _areSigned(_hashMessage(digest), signatures);
        return isValid ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function _hashMessage(bytes32 digest) private pure returns (bytes32) {
        return keccak256(abi.encode(MESSAGE_TYPEHASH, keccak256(abi.encode(digest))));
    }

    function _areSigned(bytes32 structHash, bytes calldata signatures) private view returns (bool) {
        if (signatures.length != threshold * 65) return false;
        bytes32 domain = keccak256(abi.encode(DOMAIN_TYPEHASH, block.chainid, address(this)));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, structHash));
        address last;
        for (uint256 i; i < threshold; ++i) {
            bytes calldata one = signatures[i * 65:i * 65 + 65];
            address signer = ecrecover(digest, uint8(one[64]), bytes32(one[:32]), bytes32(one[32:64]));
            if (signer <= last || !isOwner[signer]) return false;
            last = signer;
        }
        return true;
    }

    function _call(address to, uint256 value, bytes calldata data) private {
        (bool success, bytes memory result) = to.call{value: value}(data);
        if (!success) {
            assembly {
                revert(add(result, 0x20), mload(result))
            }
        }
    }
}
