import type { UiNode } from '@rostra/protocol/run-api/ui-schema';

const aligns = { start: 'text-left', center: 'text-center', end: 'text-right' } as const;

export function UiTable({ node: { columns, rows } }: { node: Extract<UiNode, { type: 'table' }> }) {
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr>
            {columns.map(({ key, label, align = 'start' }) => (
              <th key={key} scope="col" className={`border-b border-line px-2 py-1 font-medium ${aligns[align]}`}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={JSON.stringify(row)}>
              {columns.map(({ key, align = 'start' }) => (
                <td key={key} className={`border-b border-line px-2 py-1 ${aligns[align]}`}>
                  {String(row[key] ?? '')}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
