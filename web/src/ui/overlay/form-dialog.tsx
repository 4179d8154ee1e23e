// A dialog around one form: Cancel closes it, the other button submits it.
import { type ReactNode, useId } from 'react'
import type { RouteName } from '../../api/client.ts'
import { Button, type Running } from '../button.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  /** The word on the button that submits. */
  action: string
  /** What submitting asks the server for, if anything. */
  does?: RouteName
  disabled?: boolean
  /** What submitting starts. */
  runs: Running
  onClose: () => void
  children: ReactNode
}

export function FormDialog({ title, action, does, runs, disabled = false, onClose, children }: Props) {
  const form = useId()
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} does={does} busy={runs.isPending} disabled={disabled}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          runs.mutate()
        }}
      >
        {children}
      </form>
    </Dialog>
  )
}
