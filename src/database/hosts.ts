/** The servers of a database that can fail over from one to another. */
export interface DatabaseHosts {
  /** What is known of each server, in the order of the address. */
  states(): readonly HostState[]
  /**
   * Continues with the only server that takes writes, although it is left out. Returns null if a
   * server that is not left out takes writes: then there is nothing to accept. Throws
   * `DatabaseError` with the reason if it cannot be accepted, or if that cannot be kept.
   */
  accept(): Promise<HostState | null>
}

export interface HostState {
  /** Its host and port. */
  readonly name: string
  readonly role: 'unknown' | 'primary' | 'replica' | 'away'
  /** Null if it is not known. */
  readonly timeline: number | null
  /** How far a replica is behind. */
  readonly lagSeconds: number
  /** Why it is not used although it answers; null if it is used. */
  readonly leftOut: 'timeline' | 'system' | null
  /** Says why it is away or left out; null if it is neither. */
  readonly reason: string | null
}

/** What is kept of a host or of a system, beyond the life of a process. */
export interface HostFact {
  /** How often an operator has accepted another server. */
  readonly accepts: number
  /** The highest timeline of a system that was ever seen; 0 for a host. */
  readonly highest: number
  /** The timeline of a system that is used, or the system of a host. */
  readonly value: string
}

/** Keeps facts by name, for all processes of a machine or of several. */
export interface HostMemory {
  read(): Promise<ReadonlyMap<string, HostFact>>
  /** Stores a fact, unless the stored one is not outranked by it. */
  raise(name: string, fact: HostFact): Promise<void>
  close(): Promise<void>
}

/** Whether a fact replaces another. */
export const outranks = (fact: HostFact, other: HostFact): boolean =>
  fact.accepts === other.accepts ? fact.highest > other.highest : fact.accepts > other.accepts
