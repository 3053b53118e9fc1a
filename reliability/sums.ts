/** Sums the counts of several runs, by name. */
export const sumsOf = <Name extends string>(
  all: readonly Readonly<Record<Name, number>>[],
  ...names: readonly Name[]
): Record<Name, number> =>
  Object.fromEntries(
    names.map((name) => [name, all.reduce((total, each) => total + each[name], 0)]),
  ) as Record<Name, number>
