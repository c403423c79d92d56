// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ILaunchFactory} from "./ILaunchFactory.sol";

/// @title IOpening
/// @notice An opening at one price: accounts deposit native for a token that does not exist yet. The creator then signs its
/// launch, whose first trade is one buy of the whole. Each depositor receives its part of the bought tokens, and its part of
/// the native that was not spent. It has no owner, and no account can change or pause it. Each opening is a minimal proxy of
/// one implementation, with its terms in its code.
///
/// An opening is in one of three states:
/// - collecting: until the deadline. Accounts deposit, and anyone can submit the launch that the creator signed.
/// - opened: `open` has launched the token. From the next second, the tokens and the remaining native can be claimed.
/// - refunding: the deadline has passed, or `close` has proved that the creator's token was launched without the opening. The
///   deposits can be claimed, and also tokens that arrived here, for example because the signed launch was submitted to the
///   launch factory directly.
///
/// The terms contain the launch parameters without the salt, so that no other account knows the token's address before the
/// launch: otherwise anyone could create its pool at another price, and the launch would be impossible. If that happens
/// between the signature and the launch, the creator signs again with another salt.
///
/// @dev The part of an account is its deposit in relation to all deposits. All parts are rounded down: less than one base unit
/// for each depositor stays here. The shared tokens are those that the opening had when it opened or closed.
/// WARNING: verify an opening by the record of the opening factory (`isOpening`), not by its views.
/// WARNING: all depositors buy at one price, but a part is final only when the opening opens: later deposits make it smaller
/// and the refund greater. Who sells first afterwards receives more than who sells last. No account can deposit, open, claim
/// and sell in one transaction, because a claim needs a later second.
/// WARNING: the creator chooses the value of the buy between the minimum and the cap, may sign nothing at all, and may launch
/// the token without the opening. In these cases the depositors get their deposits back. A creator that has launched the same
/// parameters before creates an opening that anyone can close.
/// WARNING: native that is forced in or was sent before the creation stays here. So do tokens that arrive after the end or
/// although no account has deposited, and all tokens but `token`.
interface IOpening {
    /// @notice An account's deposit was increased by `amount`, and all deposits to `total`.
    event Deposited(address indexed account, uint256 amount, uint256 total);

    /// @notice The token was launched with one buy of `spent` native, which bought `bought` tokens.
    event Opened(address indexed token, uint256 spent, uint256 bought);

    /// @notice The account's part was paid to `to`.
    event Claimed(address indexed account, address indexed to, uint256 tokens, uint256 refund);

    /// @notice The opening ended without a buy, because `token` was launched without it. `received` tokens had arrived here.
    event Closed(address indexed token, uint256 received);

    error Opening_NotClone();
    error Opening_Closed();
    error Opening_Expired(uint40 deadline, uint256 timestamp);
    error Opening_NothingDeposited();
    error Opening_InvalidAccount(address account);
    error Opening_ValueOutOfRange(uint256 value, uint256 minimum, uint256 maximum);
    error Opening_WrongParams(bytes32 paramsHash, bytes32 expected);
    error Opening_NotLaunched(address token);
    error Opening_NothingToClaim(address account);
    error Opening_TransferFailed(address to, uint256 amount);

    /// @notice Deposits the attached native for the caller. The errors are the same as for `deposit`.
    receive() external payable;

    /// @notice Deposits the attached native for `account`, which alone can claim it.
    /// @dev Reverts with Opening_Closed when opened or closed, with Opening_Expired after the deadline, with
    /// Opening_NothingDeposited for no native, and with Opening_InvalidAccount for the zero address or this contract.
    function deposit(address account) external payable;

    /// @notice Launches the token with one buy of `value` for this contract. Callable by anyone with the creator's signature
    /// for `launchFor`: of the creator, `params`, this contract as recipient, `minimumOut`, `value`, and the deadline of this
    /// opening. The deadline is the last second.
    /// @dev Reverts with Opening_Closed, Opening_Expired, Opening_ValueOutOfRange, with Opening_WrongParams if `params` are
    /// not those of the creation, and with the errors of ILaunchFactory.
    /// @param params Those of the creation, with any salt.
    /// @param value Native that the buy spends: at least `minimum`, at most `cap` and `total`.
    /// @param minimumOut Minimum amount of tokens, as signed.
    /// @return bought Tokens bought, in base units.
    function open(
        ILaunchFactory.LaunchParams calldata params,
        uint256 value,
        uint256 minimumOut,
        bytes calldata signature
    ) external returns (uint256 bought);

    /// @notice Ends the opening because the creator's token with `params` was launched without it. Callable by anyone, also
    /// after the deadline. The token becomes that of this opening, so that the amount of it that has arrived here is shared.
    /// @dev Reverts with Opening_Closed when opened or closed, with Opening_WrongParams, and with Opening_NotLaunched if the
    /// token does not exist.
    /// @param params Those of the creation, with the salt of the launch.
    function close(ILaunchFactory.LaunchParams calldata params) external;

    /// @notice Pays `account` its part. Callable by anyone.
    /// @dev Reverts with Opening_NothingToClaim if `claimable` is zero, and with Opening_TransferFailed if the account does not
    /// accept native: it can call `claimTo` instead.
    function claim(address account) external returns (uint256 tokens, uint256 refund);

    /// @notice Pays the part of the caller to `to`.
    /// @dev Reverts as `claim` does, and with Opening_InvalidAccount for the zero address or this contract.
    function claimTo(address to) external returns (uint256 tokens, uint256 refund);

    /// @notice What `claim` would pay now. Zero while the opening collects, and in the second in which it opened or closed.
    /// @return tokens In base units.
    /// @return refund In wei: the deposit, minus its part of what was spent.
    function claimable(address account) external view returns (uint256 tokens, uint256 refund);

    /// @notice The deposits of `account`, in wei; zero after its claim from an opening that opened or closed.
    function depositOf(address account) external view returns (uint256);
    /// @notice The deposits of all accounts, in wei. Claims do not change it.
    function total() external view returns (uint256);
    /// @notice Native that the buy spent, in wei; zero unless opened.
    function spent() external view returns (uint256);
    /// @notice When `open` or `close` ended the collection, in seconds of Unix time; zero if neither did.
    function closedAt() external view returns (uint40);
    /// @notice Whether `open` launched the token.
    function isOpened() external view returns (bool);
    /// @notice The account whose signature opens.
    function creator() external view returns (address);
    /// @notice The launch parameters without the salt:
    /// keccak256(abi.encode(name, symbol, contractURI, splitter, partner, feeBps)).
    function paramsHash() external view returns (bytes32);
    /// @notice The token; the zero address unless opened or closed.
    function token() external view returns (address);
    /// @notice Tokens that all accounts share, in base units; zero unless opened or closed.
    function received() external view returns (uint96);
    /// @notice The minimum of the buy, in wei.
    function minimum() external view returns (uint256);
    /// @notice The maximum of the buy, in wei.
    function cap() external view returns (uint256);
    /// @notice The last second for deposits and for opening, in seconds of Unix time.
    function deadline() external view returns (uint40);
    function LAUNCH_FACTORY() external view returns (address);
}
