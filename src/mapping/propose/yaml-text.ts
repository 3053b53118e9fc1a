/** A text as YAML, in quotes where it needs them. */
export const quoted = (text: string): string =>
  /^[A-Za-z_][\w. /-]*$/.test(text) &&
  !/^(true|false|null|yes|no|on|off|first-seen|last-changed)$|[ :#]$/i.test(text)
    ? text
    : `'${text.replaceAll("'", "''").replaceAll('\n', ' ')}'`
