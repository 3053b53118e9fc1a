/** Formats a text table. The first column is left-aligned, the others right-aligned. */
export const tableOf = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd()
  return [heads, ...rows].map(line).join('\n')
}
