// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev WETH9's storage with USDT's rule: an allowance that is not zero can only be set to zero.
contract ApproveRaceWrapped {
    string public name;
    string public symbol;
    uint8 public decimals;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Approval(address indexed src, address indexed guy, uint256 wad);
    event Transfer(address indexed src, address indexed dst, uint256 wad);

    /// @dev Like USDT's, it returns nothing.
    function approve(address guy, uint256 wad) external {
        require(wad == 0 || allowance[msg.sender][guy] == 0);
        allowance[msg.sender][guy] = wad;
        emit Approval(msg.sender, guy, wad);
    }

    function transferFrom(address src, address dst, uint256 wad) external returns (bool) {
        require(balanceOf[src] >= wad);
        if (src != msg.sender) {
            require(allowance[src][msg.sender] >= wad);
            allowance[src][msg.sender] -= wad;
        }
        balanceOf[src] -= wad;
        balanceOf[dst] += wad;
        emit Transfer(src, dst, wad);
        return true;
    }
}
