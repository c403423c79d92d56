// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev A stablecoin that misbehaves in one chosen way. Anybody mints.
contract AdverseToken {
    uint8 public constant NO_PERMIT = 0;
    uint8 public constant PERMIT = 1;
    /// @dev DAI's permit: other arguments, same domain and nonces.
    uint8 public constant DAI_PERMIT = 2;
    /// @dev Has a domain and takes every call to permit without doing anything, as WETH9's fallback does.
    uint8 public constant SILENT_PERMIT = 3;
    uint8 public constant FEE_ON_TRANSFER = 4;
    uint8 public constant PAUSED = 5;
    /// @dev Shows one unit less than was moved, as share-based rebasing tokens do.
    uint8 public constant REBASING = 6;
    uint8 public constant RETURNS_FALSE = 7;
    uint8 public constant NO_RETURN = 8;

    uint8 private immutable _KIND;
    uint8 public immutable decimals;
    string public name = "Adverse";
    string public symbol = "ADV";
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) private _nonces;
    mapping(address => bool) public blacklisted;

    constructor(uint8 kind, uint8 decimals_) {
        _KIND = kind;
        decimals = decimals_;
    }

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function blacklist(address account, bool isListed) external {
        blacklisted[account] = isListed;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        require(_KIND != PAUSED, "paused");
        require(!blacklisted[from], "blacklisted");
        bool isDone = _KIND != RETURNS_FALSE;
        if (isDone) {
            allowance[from][msg.sender] -= amount;
            balanceOf[from] -= amount;
            uint256 kept = _KIND == FEE_ON_TRANSFER ? amount / 100 : _KIND == REBASING ? 1 : 0;
            balanceOf[to] += amount - kept;
        }
        if (_KIND == NO_RETURN) return;
        assembly {
            mstore(0, isDone)
            return(0, 32)
        }
    }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        require(_hasDomain());
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
    }

    function nonces(address owner) external view returns (uint256) {
        require(_hasDomain());
        return _nonces[owner];
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        if (_KIND == SILENT_PERMIT) return;
        require(_hasDomain() && _KIND != DAI_PERMIT, "no permit");
        require(block.timestamp <= deadline, "expired");
        bytes32 kind = keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        bytes32 content = keccak256(abi.encode(kind, owner, spender, value, _nonces[owner]++, deadline));
        address signer = ecrecover(keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), content)), v, r, s);
        require(signer != address(0) && signer == owner, "signature");
        allowance[owner][spender] = value;
    }

    function permit(
        address holder,
        address spender,
        uint256 nonce,
        uint256 expiry,
        bool allowed,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        require(_KIND == DAI_PERMIT, "no permit");
        bytes32 kind = keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");
        bytes32 content = keccak256(abi.encode(kind, holder, spender, nonce, expiry, allowed));
        require(holder == ecrecover(keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), content)), v, r, s));
        require(nonce == _nonces[holder]++);
        allowance[holder][spender] = allowed ? type(uint256).max : 0;
    }

    function _hasDomain() private view returns (bool) {
        return _KIND != NO_PERMIT;
    }
}
