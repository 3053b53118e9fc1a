import { Copy } from '../copy.tsx'
import { texts } from '../texts/index.ts'

/** A command for an operator, and what it is for. */
export const Command = ({ sentence, command }: { sentence: string; command: string }) => (
  <div className="sources-command">
    <p>{sentence}</p>
    <p>
      <code>{command}</code> <Copy text={command} label={texts().states.copy} />
    </p>
  </div>
)
