/** A copy cannot be made or kept, for a reason that whoever asked for it can act on. */
export class PullRefused extends Error {}
