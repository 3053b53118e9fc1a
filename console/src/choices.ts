import { type ChangeEvent, type KeyboardEvent, useId, useState } from 'react'

interface ChoicesParts {
  /** What the list is called. */
  readonly label: string
  /** How many are offered. */
  readonly count: number
  readonly onText: (text: string) => void
  /** Given the place of the chosen one, or -1 where none is offered. */
  readonly onPick: (index: number) => void
  readonly onCancel?: () => void
}

/** A text field with a list of what it finds: arrows choose, Enter picks, Escape gives up. */
export const useChoices = ({ label, count, onText, onPick, onCancel }: ChoicesParts) => {
  const [at, setAt] = useState(0)
  const id = useId()
  const chosen = Math.min(at, count - 1)

  const hear = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setAt((chosen + step + count) % Math.max(1, count))
    else if (event.key === 'Escape' && onCancel) onCancel()
    else if (event.key === 'Enter') onPick(chosen)
    else return
    event.preventDefault()
  }

  return {
    field: {
      role: 'combobox',
      'aria-expanded': true,
      'aria-controls': `${id}-list`,
      'aria-activedescendant': chosen >= 0 ? `${id}-${chosen}` : undefined,
      autoFocus: true,
      onKeyDown: hear,
      onChange: (event: ChangeEvent<HTMLInputElement>) => {
        onText(event.target.value)
        setAt(0)
      },
    },
    list: { id: `${id}-list`, role: 'listbox', 'aria-label': label },
    option: (index: number) => ({
      id: `${id}-${index}`,
      role: 'option',
      tabIndex: -1,
      'aria-selected': index === chosen,
      onMouseMove: () => setAt(index),
      onClick: () => onPick(index),
    }),
  } as const
}
