// A dialog around one form: Cancel closes it, the other button submits it. What went wrong is said below.
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import type { RouteName } from '../../api/client.ts'
import { Button, type Running } from '../button.tsx'
import { hintOf } from '../error-state.tsx'
import type { IconName } from '../icon.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  /** The word on the button that submits. */
  action: string
  /** On the other one. */
  cancel?: string
  icon?: IconName
  isDanger?: boolean
  /** What submitting asks the server for, if anything. */
  does?: RouteName
  disabled?: boolean
  /** What submitting starts; `error` is shown unless a field shows it. */
  runs: Running & { error?: Error | null }
  wide?: boolean
  /** Another way to answer. */
  other?: ReactNode
  onClose: () => void
  children: ReactNode
}

export function FormDialog({
  title,
  action,
  cancel = 'Cancel',
  isDanger = false,
  runs,
  other,
  children,
  ...rest
}: Props) {
  const form = useId()
  const { icon, does, disabled = false, wide = false, onClose } = rest
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          {other}
          <Button
            variant={isDanger ? 'danger' : 'primary'}
            type="submit"
            form={form}
            {...(icon && { icon })}
            does={does}
            busy={runs.isPending}
            disabled={disabled}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onKeyDown={chooseByEnter}
        onSubmit={(event) => {
          event.preventDefault()
          runs.mutate()
        }}
      >
        {children}
        {runs.error && (
          <p role="alert" className="text-sm text-bad">
            {runs.error.message} {hintOf(runs.error)}
          </p>
        )}
      </form>
    </Dialog>
  )
}

/** On a choice Enter chooses; browsers would submit the form with it. */
function chooseByEnter(event: KeyboardEvent): void {
  const { target } = event
  if (event.key !== 'Enter' || !(target instanceof HTMLInputElement) || target.type !== 'radio') return
  event.preventDefault()
  target.click()
}
