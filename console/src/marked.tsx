/** Renders `code` between backticks. */
export const Marked = ({ text }: { text: string }) => (
  <>
    {text
      .split('`')
      .map((part, place) => (place % 2 === 0 ? part : <code key={part}>{part}</code>))}
  </>
)
