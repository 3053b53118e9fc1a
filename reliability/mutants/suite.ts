/** What a module must do, as sentences that are tried on it, or on a mutant of it. */
export interface Suite<Module = unknown> {
  /** The module's file, from the top of the repository. */
  readonly file: string
  readonly checks: { readonly [sentence: string]: (module: Module) => void | Promise<void> }
}

/** Lets a suite's module have a type of its own. */
export const suite = <Module>(file: string, checks: Suite<Module>['checks']): Suite =>
  // A check is only ever given the module that it was written for.
  ({ file, checks: checks as Suite['checks'] })
