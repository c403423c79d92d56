// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "solady/tokens/ERC20.sol";
import {SSTORE2} from "solady/utils/SSTORE2.sol";

import {ILaunchToken} from "./interfaces/ILaunchToken.sol";

/// @title LaunchToken
/// @dev The code of a data contract holds name, symbol and contract URI one after the other. This is cheaper than
/// storage at any length, and immutable.
contract LaunchToken is ILaunchToken, ERC20 {
    /*//////////////////////////////////////////////////////////////
                                CONSTANTS
    //////////////////////////////////////////////////////////////*/

    uint256 private constant SUPPLY = 1_000_000_000e18;

    /// @dev EIP-170 allows 24,576 bytes of code. The first byte of a data contract is STOP.
    uint256 private constant MAX_METADATA_LENGTH = 24_575;

    /*//////////////////////////////////////////////////////////////
                                IMMUTABLES
    //////////////////////////////////////////////////////////////*/

    address private immutable _METADATA;
    uint256 private immutable _NAME_END;
    uint256 private immutable _SYMBOL_END;
    uint256 private immutable _METADATA_END;
    bytes32 private immutable _NAME_HASH;

    /*//////////////////////////////////////////////////////////////
                               CONSTRUCTOR
    //////////////////////////////////////////////////////////////*/

    constructor(string memory name_, string memory symbol_, string memory contractURI_, address supplyRecipient) {
        bytes memory metadata = abi.encodePacked(name_, symbol_, contractURI_);
        if (metadata.length > MAX_METADATA_LENGTH) {
            revert LaunchToken_MetadataTooLong(metadata.length, MAX_METADATA_LENGTH);
        }
        _METADATA = SSTORE2.write(metadata);
        _NAME_END = bytes(name_).length;
        _SYMBOL_END = bytes(name_).length + bytes(symbol_).length;
        _METADATA_END = metadata.length;
        _NAME_HASH = keccak256(bytes(name_));
        _mint(supplyRecipient, SUPPLY);
    }

    /*//////////////////////////////////////////////////////////////
                                  VIEWS
    //////////////////////////////////////////////////////////////*/

    /// @inheritdoc ILaunchToken
    function contractURI() external view returns (string memory) {
        return _readText(_SYMBOL_END, _METADATA_END);
    }

    /// @inheritdoc ERC20
    function name() public view override returns (string memory) {
        return _readText(0, _NAME_END);
    }

    /// @inheritdoc ERC20
    function symbol() public view override returns (string memory) {
        return _readText(_NAME_END, _SYMBOL_END);
    }

    /*//////////////////////////////////////////////////////////////
                                INTERNALS
    //////////////////////////////////////////////////////////////*/

    function _readText(uint256 start, uint256 end) private view returns (string memory) {
        return string(SSTORE2.read(_METADATA, start, end));
    }

    /// @dev Saves `permit` from reading the name.
    function _constantNameHash() internal view override returns (bytes32) {
        return _NAME_HASH;
    }

    /// @dev No implicit allowance: holders do not expect one, and Permit2 does not exist on every chain.
    function _givePermit2InfiniteAllowance() internal pure override returns (bool) {
        return false;
    }
}
