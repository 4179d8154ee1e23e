// Pairs a phone: a name and what it may do, then a QR code for its camera. Closes when the device is there.
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { DEVICE_RIGHTS, type DeviceRow } from '../../../../../src/contract/dashboard/devices.ts'
import { describeRight } from '../../../../../src/core/access/device-rights.ts'
import { useAnswer } from '../../../api/answered.tsx'
import { type AnswerOf, ask } from '../../../api/client.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { toast } from '../../../ui/overlay/toast.tsx'
import { Select, TextField } from '../../../ui/text-field.tsx'

type Pairing = AnswerOf<'POST /api/devices'>

export function PairDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('My phone')
  const [right, setRight] = useState<DeviceRow['right']>('answer')
  const starting = useMutation({ mutationFn: () => ask('POST /api/devices', { body: { name, right } }) })
  const pairing = starting.data
  return (
    <Dialog
      title="Pair a phone"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{pairing ? 'Close' : 'Cancel'}</Button>
          {!pairing && (
            <Button variant="primary" type="submit" form="pair" does="POST /api/devices" busy={starting.isPending}>
              Show the QR code
            </Button>
          )}
        </>
      }
    >
      {pairing ? (
        <Code pairing={pairing} onPaired={onClose} />
      ) : (
        <form
          id="pair"
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault()
            starting.mutate()
          }}
        >
          <TextField
            label="Name"
            required
            maxLength={60}
            value={name}
            onChange={(event) => setName(event.target.value)}
            hint="As it is shown here and in the history of what it answers."
          />
          <Select
            label="It may"
            options={DEVICE_RIGHTS.map((one) => [one, describeRight(one)] as const)}
            value={right}
            onPick={setRight}
            error={starting.error?.message ?? null}
          />
        </form>
      )}
    </Dialog>
  )
}

function Code({ pairing, onPaired }: { pairing: Pairing; onPaired: () => void }) {
  const { data } = useAnswer(['devices'], 'GET /api/devices')
  const before = useRef<number | null>(null)
  const count = data?.devices.length ?? null
  useEffect(() => {
    if (count === null) return
    before.current ??= count
    if (count <= before.current) return
    toast({ tone: 'good', title: `${pairing.name} is paired` })
    onPaired()
  }, [count, pairing.name, onPaired])
  return (
    <div className="flex flex-col gap-3 text-sm">
      <QrPicture rows={pairing.rows} label="QR code of the link below" />
      <p>Point the phone's camera at it and confirm there. It works once, within ten minutes.</p>
      <p className="font-mono text-xs break-all select-all">{pairing.link}</p>
      {pairing.problem && (
        <p role="alert" className="text-attention">
          {pairing.problem}
        </p>
      )}
    </div>
  )
}

// A QR code, always dark on light with its quiet zone, so that every camera reads it.

/** Rows of 0 and 1; 1 is dark. */
function QrPicture({ rows, label }: { rows: readonly string[]; label: string }) {
  const size = rows.length + 8
  const dark = rows.flatMap((row, y) =>
    [...row].flatMap((module, x) => (module === '1' ? `M${x + 4} ${y + 4}h1v1h-1z` : [])),
  )
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto w-full max-w-64 rounded-lg"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  )
}
