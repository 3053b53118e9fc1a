/** Names of records that are made of figures and words. */
export const names = {
  revision: (subject: string, number: string) => `${subject} rev ${number}`,
  numbered: (subject: string, kind: string, number: string) =>
    `${subject} ${kind.toLowerCase()} ${number}`,
  /** The label of a number says what it numbers: `Carton number`. */
  kindOf: (label: string) => label.replace(/ number$/, ''),
}
