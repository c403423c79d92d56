// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A wallet that sends a batch atomically: as a contract for its owner, or as the code that an account delegates to
/// (EIP-7702), then for the account itself.
contract BatchWallet {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    address public immutable owner;

    constructor(address owner_) payable {
        owner = owner_;
    }

    function execute(Call[] calldata calls) external payable {
        require(msg.sender == owner || msg.sender == address(this), "not the owner");
        for (uint256 i; i < calls.length; ++i) {
            (bool success, bytes memory result) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            if (!success) {
                assembly {
                    revert(add(result, 0x20), mload(result))
                }
            }
        }
    }

    receive() external payable {}
}
