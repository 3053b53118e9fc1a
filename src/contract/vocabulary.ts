/** The contract's names in another language than English. */
export interface Vocabulary {
  readonly groups: { readonly [path: string]: readonly [title: string, singular: string] }
  /** By the English label. */
  readonly fields: { readonly [label: string]: string }
  readonly values: { readonly [value: string]: string }
  /** By the English title. */
  readonly views: { readonly [title: string]: string }
}
