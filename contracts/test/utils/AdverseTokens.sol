// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @notice A token with a fault that the constructor selects. It has no `permit`, so that a call of it reverts.
contract AdverseToken {
    enum Fault {
        None,
        MissingReturn,
        FalseReturn,
        FeeOnTransfer,
        ApprovalRace,
        Uint96,
        Blocklist,
        Callback,
        Rebasing,
        Paused,
        ReturnsTwo,
        FalseSuccess,
        ShortReturn,
        EmptyRevert
    }

    string public name = "Adverse";
    bytes32 public symbol = "ADVERSE";
    uint8 public immutable decimals;
    Fault public immutable FAULT;
    mapping(address => uint256) internal _balances;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => bool) public blocked;
    uint256 private _scale = 100;
    address private _callback;
    bytes private _callbackData;

    constructor(Fault fault, uint8 decimals_) {
        (FAULT, decimals) = (fault, decimals_);
    }

    function mint(address to, uint256 amount) external {
        _balances[to] += amount;
    }

    function setBlocked(address account, bool isBlocked) external {
        blocked[account] = isBlocked;
    }

    function rebase(uint256 percent) external {
        _scale = percent;
    }

    function onTransferCall(address target, bytes calldata data) external {
        (_callback, _callbackData) = (target, data);
    }

    function balanceOf(address account) public view returns (uint256) {
        return _balances[account] * _scale / 100;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        if (FAULT == Fault.ApprovalRace) require(amount == 0 || allowance[msg.sender][spender] == 0, "reset first");
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external {
        _move(msg.sender, to, amount);
        _returnResult();
    }

    function transferFrom(address from, address to, uint256 amount) external {
        if (FAULT != Fault.FalseReturn) {
            require(allowance[from][msg.sender] >= amount, "allowance");
            allowance[from][msg.sender] -= amount;
        }
        _move(from, to, amount);
        _returnResult();
    }

    function _move(address from, address to, uint256 amount) private {
        require(FAULT != Fault.Paused, "paused");
        if (FAULT == Fault.EmptyRevert) {
            assembly {
                revert(0, 0)
            }
        }
        require(!blocked[from] && !blocked[to], "blocked");
        if (FAULT == Fault.Uint96) require(amount <= type(uint96).max, "uint96");
        if (FAULT == Fault.FalseReturn || FAULT == Fault.FalseSuccess) return;
        // Called before the balances change, like the sender hook of ERC-777.
        if (_callback != address(0)) {
            address target = _callback;
            _callback = address(0);
            (bool success, bytes memory reason) = target.call(_callbackData);
            if (!success) {
                assembly ("memory-safe") {
                    revert(add(reason, 32), mload(reason))
                }
            }
        }
        uint256 inner = (amount * 100 + _scale - 1) / _scale;
        _balances[from] -= inner;
        _balances[to] += FAULT == Fault.FeeOnTransfer ? inner - inner / 100 : inner;
    }

    function _returnResult() private view {
        if (FAULT == Fault.MissingReturn) return;
        if (FAULT == Fault.ShortReturn) {
            assembly {
                mstore(0, 1)
                return(1, 31)
            }
        }
        uint256 answer = FAULT == Fault.FalseReturn ? 0 : FAULT == Fault.ReturnsTwo ? 2 : 1;
        assembly {
            mstore(0, answer)
            return(0, 32)
        }
    }
}
