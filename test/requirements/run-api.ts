import { collect, planned } from './requirement.ts';

export const runApiRequirements = collect(
  planned('RA-1.1', 'RA-1.2', 'RA-1.3', 'RA-1.4', 'RA-1.5', 'RA-1.6', 'RA-1.7', 'RA-1.8'),
  planned('RA-2.1', 'RA-2.2', 'RA-2.3', 'RA-2.4', 'RA-2.5', 'RA-2.6', 'RA-2.7', 'RA-2.8', 'RA-2.9', 'RA-2.10'),
  planned('RA-3.1', 'RA-3.2', 'RA-3.3', 'RA-3.4', 'RA-3.5'),
  planned('RA-4.1', 'RA-4.2', 'RA-4.3', 'RA-4.4', 'RA-4.5', 'RA-4.6', 'RA-4.7', 'RA-4.8', 'RA-4.9', 'RA-4.10'),
  planned('RA-4.11', 'RA-4.12', 'RA-4.13', 'RA-4.14', 'RA-4.15'),
  planned('RA-5.1', 'RA-5.2', 'RA-5.3'),
  planned('RA-6.1', 'RA-6.2', 'RA-6.3', 'RA-6.4', 'RA-6.5', 'RA-6.6', 'RA-6.7', 'RA-6.8', 'RA-6.9', 'RA-6.10'),
  planned('RA-6.11', 'RA-6.12', 'RA-6.13', 'RA-6.14', 'RA-6.15'),
  planned('RA-7.1', 'RA-7.2', 'RA-7.3', 'RA-7.4', 'RA-7.5', 'RA-7.6', 'RA-7.7'),
  planned('RA-8.1', 'RA-8.2', 'RA-8.3', 'RA-8.4'),
  planned('RA-9.1', 'RA-9.2', 'RA-9.3', 'RA-9.4', 'RA-9.5', 'RA-9.6', 'RA-9.7', 'RA-9.8', 'RA-9.9', 'RA-9.10'),
  planned('RA-9.11', 'RA-9.12', 'RA-9.13', 'RA-9.14', 'RA-9.15', 'RA-9.16', 'RA-9.17', 'RA-9.18', 'RA-9.19'),
  planned('RA-9.20', 'RA-9.21', 'RA-9.22', 'RA-9.23', 'RA-9.24', 'RA-9.25', 'RA-9.26', 'RA-9.27', 'RA-9.28'),
  planned('RA-9.29'),
  planned('RA-10.1', 'RA-10.2', 'RA-10.3', 'RA-10.4', 'RA-10.5', 'RA-10.6', 'RA-10.7', 'RA-10.8', 'RA-10.9'),
  planned('RA-10.10', 'RA-10.11'),
);
