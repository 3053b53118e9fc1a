/** Names of records made of numbers and words. */
export const names = {
  revision: (subject: string, number: string) => `${subject} rev ${number}`,
  numbered: (subject: string, kind: string, number: string) =>
    `${subject} ${kind.toLowerCase()} ${number}`,
  /** The label of a number without `number`: `Carton number` becomes `Carton`. */
  kindOf: (label: string) => label.replace(/ number$/, ''),
}
