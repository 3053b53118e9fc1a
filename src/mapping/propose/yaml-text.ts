/** A text as YAML, quoted if necessary. */
export const quoted = (text: string): string =>
  /^[A-Za-z_][\w. /-]*$/.test(text) &&
  !/^(true|false|null|yes|no|on|off|first-seen|last-changed)$|[ :#]$/i.test(text)
    ? text
    : `'${text.replaceAll("'", "''").replaceAll('\n', ' ')}'`
